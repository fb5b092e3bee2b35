"""Writes what a container image is made of: Debian's packages in it, as CycloneDX.

``python -m tools.image_sbom IMAGE FILE``. The form is that of https://cyclonedx.org/docs/1.6/json/,
the names are package URLs (https://github.com/package-url/purl-spec, type ``deb``). Python's
packages are those of ``requirements.lock``: ``make sbom`` writes them beside it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

_FORM = "${Package}\t${Version}\t${Architecture}\n"


def image_sbom(image: str) -> dict[str, object]:
    """Ask the image's own dpkg. Raises ``CalledProcessError`` without Docker or the image."""
    asked = ("docker", "run", "--rm", "--network", "none", "--entrypoint", "dpkg-query", image)
    listed = subprocess.run([*asked, "-W", "-f", _FORM], capture_output=True, text=True, check=True)
    rows = sorted(line.split("\t") for line in listed.stdout.splitlines())
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "container", "name": image}},
        "components": [
            {
                "type": "library",
                "name": name,
                "version": version,
                "purl": f"pkg:deb/debian/{quote(name)}@{quote(version)}?arch={architecture}",
            }
            for name, version, architecture in rows
        ],
    }


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(image_sbom(sys.argv[1]), indent=1) + "\n")
