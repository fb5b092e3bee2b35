"""What a command in a bubblewrap box sees of the machine: programs and libraries, read-only.

Either the folders of a prepared root (scripts/sandbox-root), or the machine's own /usr and the few
files of /etc that programs need. Never /home, /root, /run, /var or the data folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from runner.adapters.bubblewrap_lines import PREPARED, WORKSPACE

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ROOT, KEPT = "root", "prepared"
"""Names in a box's folder where a prepared root and what setup commands made are bound."""

_OWN_FOLDERS = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32")
_OWN_FILES = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types"),
    *("nsswitch.conf", "protocols", "services", "ssl/certs", "ssl/openssl.cnf", "pki/tls"),
    *("pki/ca-trust/extracted", "ca-certificates", "crypto-policies"),
)
_NETWORK_FILES = ("resolv.conf", "hosts")
_ACCOUNTS = {
    "passwd": "root:x:0:0:root:/:/bin/sh\ncairn:x:1000:1000:cairn:/tmp:/bin/sh\n"
    "nobody:x:65534:65534:nobody:/:/bin/false\n",
    "group": "root:x:0:\ncairn:x:1000:\nnogroup:x:65534:\n",
}
# these are the box's own, or none of its business
_HIDDEN = frozenset(
    ("boot", "dev", "home", "lost+found", "media", "mnt", "proc", "root", "run", "sys", "tmp")
) | {WORKSPACE[1:], PREPARED[1:], "node_modules"}


def fill_folder(folder: Path) -> None:
    """Make what the view and the holder need in a new box's folder."""
    for name in ("workspace", "tmp", ROOT, KEPT):
        (folder / name).mkdir()
    for name, text in _ACCOUNTS.items():
        (folder / name).write_text(text)


def view_options(folder: Path, root: Path | None, *, network: bool, writable: bool) -> list[str]:
    """Return bwrap's options for a box; ``writable`` is for what setup commands make."""
    kept = "--bind" if writable else "--ro-bind"
    options = [*(_own(folder) if root is None else _prepared(folder / ROOT, root))]
    if network:
        options += _files(_NETWORK_FILES)
    options += [
        *("--bind", str(folder / "workspace"), WORKSPACE, "--bind", str(folder / "tmp"), "/tmp"),  # noqa: S108
        *(kept, str(folder / KEPT), PREPARED),
        # Node looks for packages in the folders above a file
        *("--symlink", f"{PREPARED[1:]}/node_modules", "/node_modules"),
    ]
    return options


def _own(folder: Path) -> Iterator[str]:
    yield from _folders(Path("/"), Path("/"), _OWN_FOLDERS)
    yield from _files(_OWN_FILES)
    for name in _ACCOUNTS:
        yield from ("--ro-bind", str(folder / name), f"/etc/{name}")
    yield from ("--dir", "/var/tmp")  # noqa: S108


def _prepared(bound: Path, root: Path) -> Iterator[str]:
    names = sorted(path.name for path in root.iterdir() if path.name not in _HIDDEN)
    yield from _folders(bound, root, [name for name in names if name != "etc"])
    # one by one, so that the files of a network find a place beside them
    below = sorted(path.name for path in root.glob("etc/*") if path.name not in _NETWORK_FILES)
    yield from _folders(bound, root, [f"etc/{name}" for name in below])


def _folders(bound: Path, root: Path, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        path = root / name
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), f"/{name}")
        elif path.exists():
            yield from ("--ro-bind", str(bound / name), f"/{name}")


def _files(names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
