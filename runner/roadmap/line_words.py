"""Closed lists of words of lines: what to make, what holds, and the headings of lists of checks."""

from __future__ import annotations

ABOUT_CHECKS = (
    "test", "tests", "testing", "tested", "verification", "verify", "verifying", "validation",
    "validate", "check", "checks", "checking", "checkpoint", "checkpoints", "qa", "acceptance",
    "smoke", "sanity", "quality assurance", "prüfung", "prüfen", "überprüfung", "abnahme",
    "qualitätssicherung", "kontrolle", "testen", "vérification", "vérifications", "validación",
    "recette", "contrôles", "verificación", "comprobación", "comprobaciones", "pruebas", "prueba",
    "verificação", "validação", "testes", "verifica", "verifiche", "convalida", "collaudo",
    "проверка", "проверки", "тестирование", "тесты", "kiểm tra", "kiểm thử", "检查", "檢查",
    "验证", "驗證", "测试", "測試", "验收", "確認", "検証", "テスト", "チェック", "검증", "확인",
    "테스트", "체크",
)  # fmt: skip
"""Words in headings of testing: below them there may be checks."""
BEFORE_ALL = (
    "checklist", "check-list", "check list", "checkliste", "readiness", "pre-launch", "prelaunch",
    "pre-release", "pre-deploy", "predeploy", "post-deploy", "postdeploy", "pre-deployment",
    "post-deployment", "prerelease", "post-release", "post-launch", "pre-flight", "preflight",
    "pre-merge", "go-live", "go live", "go/no-go", "gate", "sign-off", "lista de verificación",
    "lista de comprobación", "liste de contrôle", "liste de vérification", "checklists",
    "lista de verificação", "lista di controllo", "чек-лист", "чеклист", "清单", "清單",
    "must be met", "must be satisfied", "must be true", "must all be true", "müssen erfüllt sein",
    "deben cumplirse", "devem ser atendidos", "freigabe", "체크리스트", "チェックリスト", "检查表",
)  # fmt: skip
"""Words of lists that are gone through before something goes out."""
LAUNCH = (
    "launch", "launching", "deploy", "deployment", "deploying", "release", "releasing",
    "production", "go-live", "go live", "live", "publish", "publishing", "submission",
    "pre-launch", "prelaunch", "pre-release", "prerelease", "pre-deploy", "predeploy",
    "pre-deployment", "post-deploy", "post-deployment", "post-launch", "pre-flight", "preflight",
    "go/no-go", "sign-off", "readiness", "veröffentlichung", "freigabe", "lanzamiento",
    "producción", "publicación", "despliegue", "lancement", "publication", "déploiement",
    "lançamento", "produção", "publicação", "lancio", "produzione", "rilascio", "запуск",
    "запуска", "релиза", "上线", "发布", "部署", "上線", "發布", "リリース", "デプロイ", "배포",
    "출시",
)  # fmt: skip
"""Words of lists before something goes out: "DNS configured" is a check there."""
WORK_LISTS = (
    "implementation", "implement", "task", "tasks", "feature", "features", "development", "todo",
    "migration", "setup", "set-up", "refactoring", "input", "form", "field", "request", "schema",
    "email", "payload", "phase-specific", "umsetzung", "aufgaben", "tareas", "tâches", "tarefas",
)  # fmt: skip
"""Words before "checklist" or "validation" that make work or a feature of them."""
AUTOMATED = (
    "unit", "unittest", "unittests", "integration", "e2e", "end-to-end", "automated", "automation",
    "coverage", "playwright", "cypress", "pytest", "jest", "vitest", "test cases", "test suite",
    "test suites", "component tests", "contract tests", "regression tests", "ci", "ci/cd", "infra",
    "infrastructure", "framework", "tooling", "property", "fuzz", "snapshot", "unitarias",
    "unitaires", "unitários", "unitari", "automatisierte", "integración", "intégration",
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
    "erstelle", "kopiere", "adaptiere", "füge", "schreibe", "baue", "richte", "ändere", "entferne",
    "hinzufügen", "erstellen", "implementieren", "einrichten", "anlegen", "schreiben", "bauen",
    "ändern", "entfernen", "anpassen", "añadir", "agregar", "crear", "implementar", "configurar",
    "definir", "escribir", "desarrollar", "diseñar", "eliminar", "actualizar", "integrar",
    "mejorar", "ajouter", "créer", "implémenter", "configurer", "définir", "écrire", "développer",
    "rédiger", "établir", "supprimer", "mettre", "corriger", "intégrer", "améliorer", "adicionar",
    "criar", "escrever", "desenvolver", "remover", "atualizar", "corrigir", "aggiungere", "creare",
    "implementare", "configurare", "scrivere", "добавить", "создать", "реализовать", "настроить",
    "написать", "сделать", "исправить", "обновить", "удалить", "внедрить", "разработать",
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
MAKING_CJK = (
    "实现", "添加", "创建", "编写", "新增", "修复", "设计", "开发", "配置", "部署", "优化", "增加",
    "搭建", "完善", "重构", "设置", "設定", "設置", "安装", "安裝", "确保", "確保", "實現", "建立",
    "撰寫", "修復", "設計", "開發", "優化",
)  # fmt: skip
NONE_OF = (
    "no", "zero", "none", "keine", "kein", "aucun", "aucune", "sin", "ningún", "ninguna", "nenhum",
    "nenhuma", "sem", "nessun", "nessuna", "нет", "без", "keinerlei",
)  # fmt: skip
"""The first words of what is not to be there: "No errors in the console"."""
ALL_OF = (
    "all", "every", "each", "alle", "jede", "jeder", "tous", "toutes", "chaque", "todos", "todas",
    "cada", "tutti", "tutte", "все", "всі", "100%",
)  # fmt: skip
"""The first words of what holds for each of them."""
HOLDS = (
    "works", "work", "working", "pass", "passes", "passed", "passing", "green", "succeeds",
    "succeed", "running", "pointing", "apontando", "apuntando", "correctly", "successfully",
    "as expected", "properly", "without errors", "without error", "without issues", "cleanly",
    "functions", "behaves", "funktioniert", "funktionieren", "läuft", "laufen", "grün",
    "erfolgreich", "fehlerfrei", "korrekt", "funciona", "funcionan", "funcionando", "pasan",
    "pasa", "correctamente", "sin errores", "superada", "superadas", "superado", "superados",
    "fonctionne", "fonctionnent", "passent", "correctement", "sans erreur", "funcionam", "passam",
    "corretamente", "sem erros", "funziona", "funzionano", "correttamente", "senza errori",
    "работает", "работают", "проходит", "проходят", "успешно", "корректно", "без ошибок",
)  # fmt: skip
"""Words of what holds, after its subject."""
HOLDS_CJK = (
    "正常", "通过", "通過", "成功", "正确", "正確", "无误", "無誤", "没有", "沒有", "一致",
    "できる", "されること", "すること", "정상", "통과", "성공",
)  # fmt: skip
IN_ORDER_CJK = (
    "완료", "승인", "확정", "확인", "완성", "完了", "済み", "済", "完成", "确认", "確認", "批准",
    "就绪",
)  # fmt: skip
"""The same as ``IN_ORDER`` without blanks, at the end of a line."""
IN_ORDER = (
    "complete", "completed", "consistent", "ready", "operational", "functional", "stable",
    "clean", "available",
    "visible", "responsive", "accessible", "approved", "verified", "validated", "tested",
    "reviewed", "checked", "confirmed", "met", "achieved", "satisfied", "enforced", "secured",
    "secure", "fixed", "resolved", "online", "live", "healthy", "active", "valid", "accurate",
    "readable", "clear", "authenticated", "connected", "reachable", "válido", "válida", "válidos",
    "erreicht", "bestanden", "erfüllt", "gemessen", "zugestimmt", "abgedeckt", "intact", "enabled",
    "disabled", "done", "geprüft", "getestet", "bereit", "vollständig", "verificada", "verificado",
    "probado", "aprobado", "completado", "completa", "operativo", "operativa", "operativos",
    "vérifié", "testé", "prêt", "validé", "verificato", "проверено", "готово", "готов",
)  # fmt: skip
"""Last words of a line that says that something is in order."""
MADE = (
    "used",
    "added", "written", "created", "implemented", "updated", "documented", "configured", "set up",
    "setup", "built", "deployed", "defined", "installed", "integrated", "generated", "removed",
    "published", "set", "migrated", "extracted", "wired", "committed", "merged", "tagged",
    "bumped", "established", "identified", "optimized", "in place", "erstellt", "implementiert",
    "dokumentiert", "aktualisiert", "implementada", "implementado", "configurado", "configurada",
    "establecida", "documentado", "documentada", "créé", "implémenté", "documenté", "configuré",
    "создан", "настроен", "обновлен", "обновлена",
)  # fmt: skip
"""Last words of a line that says that something was made: a done task, or a check of it."""
