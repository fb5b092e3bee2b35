"""Closed lists of words of lines: what to make, what holds, and the headings of lists of checks.

They are English: those of other languages changed none of 7,490 checkboxes of 49 repositories.
"""

from __future__ import annotations

ABOUT_CHECKS = (
    "test", "tests", "testing", "tested", "verification", "verify", "verifying", "validation",
    "validate", "check", "checks", "checking", "checkpoint", "checkpoints", "qa", "acceptance",
    "smoke", "sanity", "quality assurance",
)  # fmt: skip
"""Words in headings of testing: below them there may be checks."""
BEFORE_ALL = (
    "checklist", "check-list", "check list", "readiness", "pre-launch", "prelaunch",
    "pre-release", "pre-deploy", "predeploy", "post-deploy", "postdeploy", "pre-deployment",
    "post-deployment", "prerelease", "post-release", "post-launch", "pre-flight", "preflight",
    "pre-merge", "go-live", "go live", "go/no-go", "gate", "sign-off",
    "checklists", "must be met", "must be satisfied", "must be true", "must all be true",
)  # fmt: skip
"""Words of lists that are gone through before something goes out."""
LAUNCH = (
    "launch", "launching", "deploy", "deployment", "deploying", "release", "releasing",
    "production", "go-live", "go live", "live", "publish", "publishing", "submission",
    "pre-launch", "prelaunch", "pre-release", "prerelease", "pre-deploy", "predeploy",
    "pre-deployment", "post-deploy", "post-deployment", "post-launch", "pre-flight", "preflight",
    "go/no-go", "sign-off", "readiness",
)  # fmt: skip
"""Words of lists before something goes out: "DNS configured" is a check there."""
WORK_LISTS = (
    "implementation", "implement", "task", "tasks", "feature", "features", "development", "todo",
    "migration", "setup", "set-up", "refactoring", "input", "form", "field", "request", "schema",
    "email", "payload", "phase-specific",
)  # fmt: skip
"""Words before "checklist" or "validation" that make work or a feature of them."""
AUTOMATED = (
    "unit", "unittest", "unittests", "integration", "e2e", "end-to-end", "automated", "automation",
    "coverage", "playwright", "cypress", "pytest", "jest", "vitest", "test cases", "test suite",
    "test suites", "component tests", "contract tests", "regression tests", "ci", "ci/cd", "infra",
    "infrastructure", "framework", "tooling", "property", "fuzz", "snapshot",
)  # fmt: skip
"""Words of tests that are written: work, though each line says what is to hold."""
MAKING = (
    "add", "adapt", "adjust", "allow", "apply", "assign", "author", "automate", "backfill",
    "benchmark", "bind", "build", "bump", "buy", "change", "choose", "clean", "cleanup", "collect",
    "complete", "compute", "configure", "connect", "consolidate", "convert", "copy", "create",
    "customize", "decide", "declare", "define", "delete", "deploy", "deprecate", "design",
    "develop", "disable", "document", "draft", "drop", "enable", "enforce", "enhance", "establish",
    "evaluate", "expand", "explore", "export", "expose", "extend", "extract", "finalize", "find",
    "finish", "fix", "format", "generate", "get", "handle", "harden", "hide", "hook", "implement",
    "import", "improve", "include", "increase", "initialize", "install", "instrument", "integrate",
    "introduce", "investigate", "keep", "launch", "learn", "link", "list", "load", "localize",
    "lower", "make", "map", "mark", "merge", "migrate", "minimize", "modify", "monitor", "move",
    "normalize", "notify", "optimize", "order", "organize", "package", "parse", "patch", "persist",
    "plan", "polish", "populate", "port", "prepare", "prevent", "profile", "prototype", "provide",
    "publish", "pull", "push", "read", "record", "redesign", "reduce", "refactor", "refine",
    "register", "release", "remove", "rename", "render", "reorganize", "replace", "request",
    "research", "resolve", "restructure", "return", "rewrite", "save", "scaffold", "seed",
    "select", "send", "serve", "set", "setup", "ship", "show", "simplify", "sort", "spike",
    "split", "start", "store", "streamline", "style", "submit", "support", "switch", "sync", "tag",
    "teach", "track", "train", "translate", "tune", "unify", "update", "upgrade", "upload", "use",
    "wire", "wrap", "write", "lock", "scale", "maintain", "offload", "reconcile", "rotate",
    "revoke", "restrict", "cache", "break", "bring", "catch", "abstract", "swap", "transition",
    "rework", "trim", "pin", "display", "ensure", "secure", "schedule", "create/update",
)  # fmt: skip
"""The first words of lines that say what to make, whatever follows them."""
NOUNS = frozenset(
    {
        "launch", "review", "support",
        "load", "release", "design", "test", "plan", "build", "package", "order", "document",
        "import", "export", "profile", "research", "port", "style", "format", "deploy",
        "cache", "display", "benchmark", "patch", "tag", "sync", "link", "list", "map", "record",
    }
)  # fmt: skip
"""Those that may be a noun at the head of a line."""
NONE_OF = ("no", "zero", "none")
"""The first words of what is not to be there: "No errors in the console"."""
ALL_OF = ("all", "every", "each", "100%")
"""The first words of what holds for each of them."""
HOLDS = (
    "works", "work", "working", "pass", "passes", "passed", "passing", "green", "succeeds",
    "succeed", "running", "pointing", "correctly", "successfully",
    "as expected", "properly", "without errors", "without error", "without issues", "cleanly",
    "functions", "behaves",
)  # fmt: skip
"""Words of what holds, after its subject."""
IN_ORDER = (
    "complete", "completed", "consistent", "ready", "operational", "functional", "stable",
    "clean", "available",
    "visible", "responsive", "accessible", "approved", "verified", "validated", "tested",
    "reviewed", "checked", "confirmed", "met", "achieved", "satisfied", "enforced", "secured",
    "secure", "fixed", "resolved", "online", "live", "healthy", "active", "valid", "accurate",
    "readable", "clear", "authenticated", "connected", "reachable", "intact", "enabled",
    "disabled", "done",
)  # fmt: skip
"""Last words of a line that says that something is in order."""
MADE = (
    "used",
    "added", "written", "created", "implemented", "updated", "documented", "configured", "set up",
    "setup", "built", "deployed", "defined", "installed", "integrated", "generated", "removed",
    "published", "set", "migrated", "extracted", "wired", "committed", "merged", "tagged",
    "bumped", "established", "identified", "optimized", "in place",
)  # fmt: skip
"""Last words of a line that says that something was made: a done task, or a check of it."""
