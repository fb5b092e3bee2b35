"""An agent for tests, which a repository brings along as ``agent.py``: its steps are its arguments.

``ask WORDS`` asks the model and writes the answer's files, ``call WORDS`` gives it a tool that
writes files; ``write PATH TEXT``, ``delete PATH``, ``print TEXT``, ``exit CODE``, ``hang``.
"""

AGENT = r"""
import json, os, re, sys, time, urllib.error, urllib.request
from pathlib import Path

def ask(words, tools=()):
    turns = [{"role": "system", "content": "You are an agent."},
             {"role": "user", "content": words + "\n\n" + task}]
    if not tools:
        return answer(turns)["content"]
    while True:
        said = answer(turns, tools=tools)
        turns.append(said)
        for call in said.get("tool_calls") or ():
            put(**json.loads(call["function"]["arguments"]))
            turns.append({"role": "tool", "tool_call_id": call["id"], "content": "written"})
        if not said.get("tool_calls"):
            return

def put(path, text):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)

def answer(turns, **more):
    asked = {"model": os.environ["CAIRN_MODEL"], "messages": turns, **more}
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps(asked).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as said:
            return json.load(said)["choices"][0]["message"]
    except urllib.error.HTTPError as refused:
        print(refused.code, refused.read().decode())
        sys.exit(3)

task = Path(os.environ["CAIRN_TASK_FILE"]).read_text()
steps = sys.argv[1:]
while steps:
    step = steps.pop(0)
    if step == "ask":
        for path, text in re.findall(r"^(\S+)\n```\w*\n(.*?)```", ask(steps.pop(0)), re.S | re.M):
            put(path, text)
    elif step == "call":
        ask(steps.pop(0), tools=[{"type": "function", "function": {"name": "write"}}])
    elif step == "write":
        put(steps.pop(0), steps.pop(0))
    elif step == "delete":
        Path(steps.pop(0)).unlink()
    elif step == "print":
        print(steps.pop(0))
    elif step == "hang":
        time.sleep(600)
    elif step == "exit":
        sys.exit(int(steps.pop(0)))
"""
