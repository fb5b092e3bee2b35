"""An agent for tests, which a repository brings along as ``agent.py``: its steps are its arguments.

``ask WORDS`` asks the model and writes the answer's files, ``write PATH TEXT``, ``delete PATH``,
``print TEXT``, ``exit CODE``, ``hang``.
"""

AGENT = r"""
import json, os, re, sys, time, urllib.error, urllib.request
from pathlib import Path

def ask(words, **more):
    turns = [{"role": "system", "content": "You are an agent."},
             {"role": "user", "content": words + "\n\n" + task}]
    asked = {"model": os.environ["CAIRN_MODEL"], "messages": turns, **more}
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps(asked).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["choices"][0]["message"]["content"]
    except urllib.error.HTTPError as refused:
        print(refused.code, refused.read().decode())
        sys.exit(3)

task = Path(os.environ["CAIRN_TASK_FILE"]).read_text()
steps = sys.argv[1:]
while steps:
    step = steps.pop(0)
    if step == "ask":
        for path, text in re.findall(r"^(\S+)\n```\w*\n(.*?)```", ask(steps.pop(0)), re.S | re.M):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text)
    elif step == "tools":
        ask("Which tools?", tools=[{"type": "function"}])
    elif step == "write":
        path, text = Path(steps.pop(0)), steps.pop(0)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    elif step == "delete":
        Path(steps.pop(0)).unlink()
    elif step == "print":
        print(steps.pop(0))
    elif step == "hang":
        time.sleep(600)
    elif step == "exit":
        sys.exit(int(steps.pop(0)))
"""
