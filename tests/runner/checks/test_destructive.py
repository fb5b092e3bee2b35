"""Destructive operations are found with line, category and pattern, in added code only."""

from __future__ import annotations

import shlex
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.checks.destructive import destructive, log_line
from runner.state.changes import ChangeSet, Write

FOUND = {
    "cleaner": (
        "clean.py",
        'import subprocess\n\ndef clean(d):\n    subprocess.run(["rm", "-rf", d], check=True)\n',
        4, "filesystem", "rm -rf",
    ),
    "drop script": ("reset.py", 'cursor.execute("DROP TABLE users")\n', 1, "database",
        "DROP TABLE"),
    "rmtree": ("a.py", "import shutil as s\ns.rmtree(p)\n", 2, "filesystem", "shutil.rmtree"),
    "rmtree imported": ("a.py", "from shutil import rmtree\nrmtree(p)\n", 2, "filesystem",
                        "shutil.rmtree"),
    "os.system": ("a.py", 'import os\nos.system(f"rm -r {d}/*")\n', 2, "filesystem", "rm -r"),
    "by name": ("a.py", 'C = ["rm", "-r", "-f", x]\nsubprocess.Popen(C)\n', 2, "filesystem",
        "rm -rf"),
    "sum": ("a.py", 'os.system("rm -rf " + path)\n', 1, "filesystem", "rm -rf"),
    "split": ("a.py", 'subprocess.run(shlex.split("rm -rf /tmp/x"))\n', 1, "filesystem", "rm -rf"),
    "shell -c": ("a.py", 'subprocess.run(["bash", "-c", "cd a && rm -rf b"])\n', 1, "filesystem",
                 "rm -rf"),
    "asyncio": ("a.py", 'await asyncio.create_subprocess_exec("rm", "-rf", d)\n', 1, "filesystem",
                "rm -rf"),
    "temporary": ("a.sh", "#!/bin/sh\nrm -rf /tmp/cairn-cache\n", 2, "filesystem", "rm -rf"),
    "shell block": ("a.sh", "if x; then\n  sudo rm -fr -- \"$1\"\nfi\n", 2, "filesystem", "rm -rf"),
    "trap": ("a.sh", "trap 'rm -rf \"$d\"' EXIT\n", 1, "filesystem", "rm -rf"),
    "find": ("a.sh", "find . -name '*.tmp' -delete\n", 1, "filesystem", "find -delete"),
    "device": ("a.sh", "cat x > /dev/sda1\n", 1, "filesystem", "write to a device"),
    "node": ("a.js", "fs.rmSync(dir, { recursive: true, force: true });\n", 1, "filesystem",
             "fs.rm recursive"),
    "node command": ("a.ts", "execSync(`rm -rf ${dir}`);\n", 1, "filesystem", "rm -rf"),
    "node arguments": ("a.js", 'spawn("git", ["reset", "--hard"]);\n', 1, "git",
        "git reset --hard"),
    "go": ("a.go", "package a\nfunc f() { os.RemoveAll(d) }\n", 2, "filesystem", "os.RemoveAll"),
    "go command": ("a.go", 'package a\nfunc f() { exec.Command("rm", "-rf", d).Run() }\n', 2,
                   "filesystem", "rm -rf"),
    "rust": ("a.rs", "fn f() { std::fs::remove_dir_all(p); }\n", 1, "filesystem",
             "fs::remove_dir_all"),
    "ruby": ("a.rb", "FileUtils.rm_rf(dir)\n", 1, "filesystem", "FileUtils.rm_rf"),
    "php": ("a.php", "<?php\n$db->query('TRUNCATE TABLE users');\n", 2, "database",
        "TRUNCATE TABLE"),
    "java": ("A.java", 'class A { void f() { s.execute("DROP DATABASE x"); } }\n', 1, "database",
             "DROP DATABASE"),
    "make": ("Makefile", "clean:\n\t@rm -rf build\n", 2, "filesystem", "rm -rf"),
    "workflow": ("deploy.yml", "steps:\n  - run: kubectl delete ns x\n", 2, "cloud",
        "kubectl delete"),
    "script": ("package.json", '{"scripts": {\n "a": "x",\n "b": "rimraf dist"}}\n', 3,
        "filesystem",
               "rimraf"),
    "sql drop": ("a.sql", "-- out\nSELECT 1;\nDROP TABLE IF EXISTS a;\n", 3, "database",
        "DROP TABLE"),
    "sql delete": ("a.sql", "DELETE FROM users;\n", 1, "database", "DELETE without WHERE"),
    "sql column": ("a.sql", "ALTER TABLE a DROP COLUMN b;\n", 1, "database", "DROP COLUMN"),
    "sqlalchemy": ("a.py", "Base.metadata.drop_all(engine)\n", 1, "database", "drop_all"),
    "sql text": ("a.py", 'session.execute(text("""\n  DELETE FROM a\n"""))\n', 1, "database",
                 "DELETE without WHERE"),
    "client": ("a.sh", "psql -c 'DROP SCHEMA public CASCADE'\n", 1, "database", "DROP SCHEMA"),
    "heredoc": ("a.sh", "mysql <<EOF\nDROP TABLE a;\nEOF\n", 2, "database", "DROP TABLE"),
    "push": ("a.sh", "git push -f origin main\n", 1, "git", "git push --force"),
    "hard": ("a.py", 'subprocess.check_call(["git", "reset", "--hard", ref])\n', 1, "git",
             "git reset --hard"),
    "gitpython": ("a.py", 'repo.git.push("--force")\n', 1, "git", "git push --force"),
    "clean": ("a.sh", "git clean -fdx\n", 1, "git", "git clean -f"),
    "terraform": ("a.sh", "terraform destroy -auto-approve\n", 1, "cloud", "terraform destroy"),
    "aws": ("a.sh", "aws --profile x ec2 terminate-instances --instance-ids i\n", 1, "cloud",
            "aws"),
    "boto": ("a.py", "client.delete_bucket(Bucket=b)\n", 1, "cloud", "delete_bucket"),
    "kill": ("a.py", "os.kill(pid, signal.SIGKILL)\n", 1, "process", "kill -9"),
    "kill shell": ("a.sh", "kill -9 $(pgrep x)\n", 1, "process", "kill -9"),
    "shutdown": ("a.sh", "shutdown -h now\n", 1, "process", "shutdown"),
    "download": ("a.py", "subprocess.run('curl -s https://a.b/c | sh', shell=True)\n", 1, "process",
                 "curl | sh"),
    "download by shell": ("a.py", 'subprocess.run(["bash", "-c", "wget -O- a.b | sudo bash -s"])\n',
                          1, "process", "wget | bash"),
    "download in make": ("Makefile", "a:\n\t@curl a.b | sh\n", 2, "process", "curl | sh"),
    "download in script": ("package.json", '{"scripts": {"a": "curl a.b | sh"}}', 1, "process",
                           "curl | sh"),
    "fork bomb": ("a.sh", ":(){ :|:& };:\n", 1, "process", "fork bomb"),
}  # fmt: skip
HARMLESS = {
    "comment": ("a.py", "# rm -rf / and DROP TABLE users\nx = 1\n"),
    "docstring": ("a.py", 'def f():\n    """Run rm -rf, DROP TABLE, git push --force."""\n'),
    "message": ("a.py", 'print("never run rm -rf /")\nlog.info("DROP TABLE users")\n'),
    "one file": ("a.py", "import os\nos.remove(path)\nos.system('rm a.txt')\n"),
    "list": ("a.py", 'FORBIDDEN = ["rm", "-rf"]\n'),
    "delete some": ("a.py", 'c.execute("DELETE FROM a WHERE id = ?", (1,))\n'),
    "update": ("a.sql", "UPDATE a SET b = 1;\nSELECT 'DROP TABLE x';\n"),
    "cascade": ("a.sql", "CREATE TABLE a (b INT REFERENCES c ON DELETE CASCADE);\n"),
    "echo": ("a.sh", "# rm -rf x\necho rm -rf x\ncat <<EOF\nrm -rf x\nEOF\n"),
    "git": ("a.sh", "git push origin main\ngit reset HEAD x\ngit commit -m 'rm -rf'\n"),
    "term": ("a.py", "os.kill(pid, signal.SIGTERM)\nprocess.kill()\n"),
    "js comment": ("a.js", "// rm -rf x\n/* DROP TABLE a */\nconsole.log('rm -rf');\n"),
    "dict": ("a.js", "map.delete(key); list.remove(1); fs.rmSync(file);\n"),
    "test folder": ("tests/test_a.py", "import shutil\nshutil.rmtree(tmp_path / 'a')\n"),
    "image": ("Dockerfile", "RUN apt-get update && rm -rf /var/lib/apt/lists/*\n"),
    "document": ("README.md", "Run `rm -rf build`.\n"),
    "download": ("a.sh", "curl a.b | jq .\necho 'curl a.b | sh'\n# curl a.b | sh\n"),
    "download read": ("a.py", "subprocess.run('curl a.b | python3 -m json.tool', shell=True)\n"),
    "download shown": ("a.py", "print('curl a.b | sh')\n"),
    "terraform plan": ("a.sh", "terraform plan\nkubectl get pods\naws s3 ls\n"),
}


def found(path: str, text: str, old: str | None = None):
    change = ChangeSet({path: Write(text.encode())})
    return destructive(change, lambda _path: None if old is None else old.encode())


@pytest.mark.parametrize("name", FOUND)
def test_a_destructive_operation_is_found(name):
    """Path, line, category and pattern are named, and the line is shown."""
    path, text, line, category, pattern = FOUND[name]

    operations = found(path, text)

    assert [(o.path, o.line, o.category) for o in operations] == [(path, line, category)]
    assert operations[0].pattern.startswith(pattern)
    assert f">{line:5} | " in operations[0].excerpt


@pytest.mark.parametrize("name", HARMLESS)
def test_what_destroys_nothing_is_let_be(name):
    """Comments, texts, single files and a test's own folder are no reason to ask a person."""
    assert found(*HARMLESS[name]) == ()


COMMANDS = {
    "rm -r a": "rm -r",
    "rm --recursive a": "rm -r",
    "rm --recursive --force a": "rm -rf",
    "rm -R a": "rm -r",
    "sudo -n rm -rf a": "rm -rf",
    "A=1 B='2 3' rm -rf a": "rm -rf",
    "timeout 10 nice -n 5 rm -rf a": "rm -rf",
    "env A=1 /bin/rm -rf a": "rm -rf",
    "ssh host 'cd a; rm -rf b'": "rm -rf",
    "bash -c \"bash -c 'rm -rf a'\"": "rm -rf",
    "find . -name x -exec rm -rf {} +": "rm -rf",
    "rmdir /s a": "rmdir /s",
    "del /q a": "del /q",
    "Remove-Item a -Recurse": "Remove-Item -Recurse",
    "shred a": "shred",
    "wipefs -a /dev/sdb": "wipefs",
    "mkfs.ext4 /dev/sdb1": "mkfs",
    "dd if=a of=/dev/sda": "dd of=/dev/sda",
    "dropdb a": "dropdb",
    "redis-cli -h=x FLUSHALL": "redis-cli FLUSHALL",
    "rails db:drop": "rails db:drop",
    "prisma migrate reset": "prisma migrate reset",
    "mysql -e 'DROP DATABASE a'": "DROP DATABASE",
    "git push --mirror a": "git push --force",
    "git push a +main": "git push --force",
    "git push --force-with-lease": "git push --force",
    "git push --delete a b": "git push --delete",
    "git push -d a b": "git push --delete",
    "git push a :b": "git push --delete",
    "git -C a reset --hard": "git reset --hard",
    "git -c a=b --git-dir c clean --force": "git clean -f",
    "git branch -D a": "git branch -D",
    "git checkout -f a": "git checkout -f",
    "git checkout --force a": "git checkout -f",
    "git stash drop": "git stash drop",
    "git stash clear": "git stash clear",
    "git filter-branch a": "git filter-branch",
    "git reflog expire --all": "git reflog expire",
    "git update-ref -d a": "git update-ref -d",
    "terraform -chdir=a destroy": "terraform destroy",
    "terraform apply -destroy": "terraform -destroy",
    "tofu destroy": "tofu destroy",
    "kubectl -n a delete pod b": "kubectl a delete",
    "helm uninstall a": "helm uninstall",
    "aws s3 rb s3://a": "aws s3 rb",
    "aws s3 rm s3://a --recursive": "aws s3 rm",
    "aws ec2 delete-vpc --vpc-id a": "aws ec2 delete-vpc",
    "gcloud sql instances delete a": "gcloud sql instances delete",
    "gsutil -m rm gs://a": "gsutil rm",
    "heroku apps:destroy": "heroku apps:destroy",
    "docker system prune -f": "docker system prune",
    "kill -KILL 1": "kill -KILL",
    "killall a": "killall",
    "taskkill.exe /F /PID 1": "taskkill /F",
    "systemctl stop a": "systemctl stop",
    "curl -fsSL 'https://a.b/c?d=e&f=g' | sh": "curl | sh",
    "wget -qO- a.b | sudo -E bash -": "wget | bash",
    "A=1 /usr/bin/curl a.b 2>&1 | A=1 /bin/zsh -s -- -y": "curl | zsh",
    "curl a.b \\\n  | tee a | python3 -": "curl | python3",
    "true && (curl a.b | python)": "curl | python",
    "bash -c 'curl a.b | sh'": "curl | sh",
}
MILD = [
    "rm -f a",
    "rm a --verbose",
    "rmdir a",
    "Remove-Item a",
    "find . -name x -exec cat {} +",
    "dd if=/dev/zero of=a",
    "redis-cli get a",
    "git push a b",
    "git push --follow-tags",
    "git reset --soft a",
    "git clean -n",
    "git branch -d a",
    "git checkout a",
    "git stash pop",
    "git stash",
    "git reflog",
    "git update-ref a b",
    "git",
    "terraform apply",
    "kubectl get a b c delete",
    "aws s3 rm s3://a/b",
    "aws s3 ls rb",
    "docker ps",
    "kill -15 1",
    "taskkill /PID 1",
    "systemctl start a",
    "curl a.b || sh c",
    "curl a.b && true | sh",
    "curl a.b; true | sh",
    "curl a.b | ssh c",
    "curl a.b | sh.exe.txt",
    "curl a.b | python3 -c 'import json'",
    "curl a.b | python c.py",
    "cat a | sh",
    "psql -c 'SELECT 1'",
    "mysql -e 'DELETE FROM a LIMIT 1'",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_destroys_is_named_as_people_write_it(command):
    """With its options in any order, behind what only starts it."""
    assert [o.pattern for o in found("a.sh", f"true\n{command}\n")] == [COMMANDS[command]]


@pytest.mark.parametrize("command", MILD)
def test_the_same_command_without_what_destroys(command):
    """What it leaves can be had back."""
    assert found("a.sh", f"{command}\n") == ()


PYTHON = {
    "subprocess.run(args=['rm', '-rf', a])": ["rm -rf"],
    "subprocess.run(cmd=('git', 'clean', '-f'))": ["git clean -f"],
    "os.system('rm -rf %s' % a)": ["rm -rf"],
    "os.system('rm -rf {}'.format(a))": ["rm -rf"],
    "os.system(' '.join(['rm', '-rf', a]))": ["rm -rf"],
    "await asyncio.create_subprocess_shell('kill -9 1')": ["kill -9"],
    "os.removedirs(a)": ["os.removedirs"],
    "os.killpg(a, 9)": ["kill -9"],
    "os.kill(a)": [],
    "other.kill(a, 9)": [],
    "os.kill(a, 15)": [],
    "repo.git.reset('--hard', a)": ["git reset --hard"],
    "git.clean('-f')": ["git clean -f"],
    "repo.push('--force')": [],
    "op.drop_table('a')": ["drop_table"],
    "client.flushall()": ["flushall"],
    "ec2.terminate_instances(InstanceIds=a)": ["terminate_instances"],
    "c.execute(sql='DELETE FROM a')": ["DELETE without WHERE"],
    "c.execute(text='DELETE FROM a')": ["DELETE without WHERE"],
    "c.execute('TRUNCATE a; DROP USER b')": ["TRUNCATE TABLE", "DROP USER"],
    "c.execute('DROP INDEX a')": [],
    "run(a, b, c, d, e, f, g, 'rm -rf a')": ["rm -rf"],
    "run(shlex.split())": [],
    "shell.run(lambda: 1)": [],
}


@pytest.mark.parametrize("call", PYTHON)
def test_calls_of_python(call):
    """Every way to give a command or a statement; what only looks like one is none."""
    assert [o.pattern for o in found("a.py", f"a = b()\n{call}\n")] == PYTHON[call]


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("tests/test_a.py", "shutil.rmtree(data)\nshutil.rmtree(self.tmp)\n", [1]),
        ("test_a.py", "os.system('git push -f')\nshutil.rmtree(temp_a)\n", [1]),
        ("a.py", "shutil.rmtree(tmp)\n", [1]),
        ("Dockerfile", "RUN rm -rf a\nRUN git push --force\n", [2]),
        ("a.yml", '# run: rm -rf a\n- run: rm -rf a\n  b: ["rm", "-rf", "b"]\n', [2, 3]),
        ("run", "#!/usr/bin/env bash\nrm -rf a\n", [2]),
        ("package.json", '{"scripts": ["rm -rf a"]}', []),
        ("package.json", '["rm -rf a"]', []),
        ("package.json", '{"scripts": {"a": "rm -rf a", "b": "x"}}', [1]),
        ("a.txt", "rm -rf a\n", []),
        ("a.sql", "SELECT 1;\n\n-- DROP\nDROP TABLE a; DELETE FROM b\n", [4, 4]),
        ("a.sql", "DROP TABLE a WITH SOMETHING (NOBODY KNOWS;\n", [1]),
        ("a.sh", "rm -rf a; rm -rf b\n", [1]),
        ("a.sh", "rm -rf \\\n  a\n", [1]),
        ("a.sh", "rm -rf a\n" * 30, list(range(1, 21))),
    ],
)
def test_the_lines_that_are_named(path, text, lines):
    """One for each line and pattern, twenty at most, in every kind of file that has commands."""
    assert [o.line for o in found(path, text)] == lines


def test_twenty_operations_in_all_files_together():
    """More would not be read; a file too large to be code is not looked at."""
    files = {f"{n}.sh": Write(b"rm -rf a\ngit push -f\n" * 7) for n in range(3)}
    large = {"a.sh": Write(b"rm -rf a\n" + b"#" * (1 << 20))}

    assert len(destructive(ChangeSet(files), lambda _path: None)) == 20
    assert destructive(ChangeSet(large), lambda _path: None) == ()


def test_only_added_code_counts():
    """What the base does already is not asked about; a further one is."""
    old = "import shutil\nshutil.rmtree(a)\n"

    assert found("a.py", "x = 1\n" + old, old) == ()
    assert [o.line for o in found("a.py", old + "shutil.rmtree(b)\n", old)] == [3]


def test_the_log_line_names_pattern_and_category_once():
    """The words people search a log for."""
    operations = found("a.sh", "rm -rf a\nrm -rf b\ngit push --force\n")

    assert log_line(operations[:1]) == "Destructive operations detected: rm -rf (filesystem)"
    assert log_line(operations) == (
        "Destructive operations detected: rm -rf (filesystem), git push --force (git)"
    )


def test_hostile_files_are_read_in_bounded_time():
    """Deep, long and repeated code takes seconds at most."""
    pieces = [
        "os.system('rm '+",
        "&curl a |",
        "rm -rf $(",
        "exec('rm'",
        "a && ",
        "'",
        "f(",
        "DROP TABLE x;",
        "X+",
    ]
    for path in ("a.py", "a.sh", "a.js", "a.sql", "Makefile", "a.yml"):
        for piece in pieces:
            began = time.thread_time()
            found(path, "rm\n" + piece * (30_000 // len(piece)))
            assert time.thread_time() - began < 10, (path, piece)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.text(), st.sampled_from(["a.py", "a.sh", "a.js", "a.sql", "package.json",
        "a.rb"])),
    st.one_of(
        st.binary(max_size=300),
        st.lists(
            st.sampled_from(["rm -rf ", "DROP TABLE a", "os.system(", "exec(", "'", '"', ")", "\n",
                             ";", "f'", "{", "}", "$(", "`", "%", "+", "git push -f", "\x00"]),
            max_size=30,
        ).map("".join).map(str.encode),
    ),
)  # fmt: skip
def test_any_bytes_are_answered(path, content):
    """No content and no path makes it raise."""
    change = ChangeSet({path: Write(content)})
    assert all(o.path == path and o.line > 0 for o in destructive(change, lambda _path: None))


@pytest.mark.parametrize(("times", "patterns"), [(1, ["rm -rf"]), (4, ["rm -rf"]), (6, [])])
def test_commands_in_commands_are_looked_into_a_few_times(times, patterns):
    """Nobody writes more of them than four."""
    nested = "rm -rf a"
    for _ in range(times):
        nested = f"sh -c {shlex.quote(nested)}"

    assert [o.pattern for o in found("Makefile", f"a:\n\t{nested}\n")] == patterns
    assert [o.pattern for o in found("a.mk", "find . -exec " * times + "rm -rf a\n")] == patterns
