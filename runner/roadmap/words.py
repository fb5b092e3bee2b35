"""Closed lists of words in many languages: headings of checks and tasks, phases, keys of fields."""

from __future__ import annotations

import re
from collections.abc import Iterable

# ruff: noqa: RUF001 (the letters of other languages are meant)


CHECKS = frozenset(
    {
        "acceptance", "acceptance criteria", "acceptance criterion", "acceptance checklist",
        "success criteria", "success criterion",
        "success metrics", "expected behavior", "expected behaviour", "expected behaviors",
        "expected behaviours", "expected result", "expected results", "expected outcome",
        "expected outcomes", "exit criteria", "completion criteria", "done criteria",
        "validation criteria", "verification", "verification criteria", "verification steps",
        "verification checklist", "verification points", "verify", "verify that",
        "self-review", "self review", "self-review checklist", "completion gate",
        "completion gates", "release gate", "release gates", "exit gate", "exit gates",
        "launch gate", "launch gates", "ship gate", "ship gates",
        "definition of done", "dod", "done when", "done if", "complete when", "completed when",
        "is done when", "finished when", "is complete when", "is completed when",
        "is finished when", "is successful when", "success means", "success looks like",
        "completion checklist", "gate criteria", "release criteria", "checkpoint",
        "checkpoints", "must be true",
        "what must be true", "akzeptanzkriterien", "abnahmekriterien", "erfolgskriterien",
        "fertig wenn", "criterios de aceptación", "criterio de aceptación", "criterios de éxito",
        "verificación", "critères d'acceptation", "critères de succès", "critères de réussite",
        "vérification", "critérios de aceitação", "critérios de aceite", "critérios de sucesso",
        "verificação", "criteri di accettazione", "criteri di successo", "acceptatiecriteria",
        "kryteria akceptacji", "kryteria sukcesu", "kabul kriterleri", "başarı kriterleri",
        "kriteria penerimaan", "tiêu chí chấp nhận", "tiêu chí hoàn thành", "критерии",
        "критерии приемки", "критерии приёмки", "критерии готовности", "критерии успеха",
        "критерии завершения", "критерии выполнения", "проверка", "критерії приймання",
        "критерії готовності", "критерії", "kriterien", "critères de validation",
        "critères de fin", "criterios de finalización", "criterios de validación",
        "critérios de conclusão", "critérios de validação", "criteri di completamento",
        "criteria voor acceptatie", "acceptanskriterier", "godkännandekriterier",
        "framgångskriterier", "akceptkriterier", "akseptansekriterier", "tamamlanma kriterleri",
        "gate conditions", "exit conditions", "acceptance conditions", "success conditions",
        "completion conditions", "entry criteria", "readiness criteria", "go/no-go criteria",
        "pass criteria", "pass/fail criteria", "quality gates", "quality gate",
        "acceptance check", "acceptance checks", "test plan", "testplan", "plan de pruebas",
        "plan de tests", "plan de test", "plano de testes", "piano di test", "план тестирования",
        "manual test", "manual tests", "manual testing",
        "manual test plan", "manual testing plan", "manual check", "manual checks",
        "manual verification", "manual validation", "manual qa", "manuelle tests",
        "manueller test", "manuelle prüfung", "pruebas manuales", "prueba manual",
        "validación manual", "verificación manual", "tests manuels", "test manuel",
        "validation manuelle", "vérification manuelle", "testes manuais", "teste manual",
        "validação manual", "verificação manual", "test manuali", "verifica manuale",
        "ручное тестирование", "ручная проверка", "ручные тесты", "ручні тести",
    }
)  # fmt: skip
"""Labels and headings of checks. "testing", "checklist", "review" and "quality" alone head real
work as often, so they are not here."""
NOT_ALWAYS_CHECKS = frozenset(
    {
        "verification", "verify", "verify that", "acceptance", "checkpoint", "checkpoints", "dod",
        "verificación", "vérification", "verificação", "проверка", "критерии", "критерії",
        "kriterien", "success metrics", "expected result", "expected results", "success means",
        "manual test", "manual tests", "manual testing", "manual check", "manual checks",
        "manual verification", "manual validation", "manual qa", "test plan", "testplan",
        "quality gates", "quality gate",
        "plan de pruebas", "plan de tests", "plan de test", "plano de testes", "piano di test",
        "план тестирования",
    }
)  # fmt: skip
"""Of these, words that mean checks only alone, or with a phase or a few other words before them."""
SET_UP_CHECKS = frozenset(
    {
        "write", "define", "document", "agree", "add", "create", "update", "implement", "build",
        "collect", "draft", "list", "refine", "review", "show", "store", "parse", "support", "fix",
        "schreiben", "definieren", "definir", "écrire", "rédiger", "escribir", "escrever",
        "написать", "определить", "création", "creación", "criação", "erstellung", "creation",
        "prepare", "run", "execute",
    }
)  # fmt: skip
"""Verbs that make work of them: "Write the acceptance criteria"."""
VERIFYING = (
    "verify", "verify that", "verify it", "check that", "make sure that", "confirm that",
    "prüfen", "prüfe", "überprüfen", "vérifier", "vérifier que", "verificar", "verificar que",
    "verifica", "verifiera", "проверить", "проверьте",
)  # fmt: skip
"""The last words of a label that begins with what to do: "Start the server and verify:"."""
CHECKING = (
    "verify", "confirm", "check", "double-check", "prüfen", "prüfe", "überprüfen", "überprüfe",
    "bestätigen", "vérifier", "confirmer", "verificar", "comprobar", "confirmar", "verificare",
    "controllare", "controleer", "kontrollera", "verifiera", "sprawdzić", "проверить",
    "убедиться", "перевірити", "验证", "驗證", "确认", "確認", "検証", "확인", "검증",
)  # fmt: skip
"""The first words of a line that is a check, if a colon or one of the next words follows."""
THAT = (
    "that", "dass", "ob", "que", "si", "se", "che", "dat", "of", "att", "że", "czy", "что", "как",
    "що", "чи",
)  # fmt: skip
ALSO = ("and", "then", "to", "und", "dann", "et", "puis", "y", "e", "och", "и", "затем")

CHECKS_CJK = (
    "验收", "驗收", "テスト項目", "测试项目", "測試項目", "테스트 항목",
    "手动测试", "手动验证", "手動測試", "手動テスト", "手動確認", "수동 테스트",
)  # fmt: skip
"""The same where words are not divided by blanks: part of a short label."""

REACHED_CJK = (
    "验收", "验证", "完成", "完结", "成功", "通过", "退出", "接受", "达标", "达成", "合格", "交付",
    "检验", "上线", "发布", "结束",
    "驗收", "驗證", "通過", "達標", "檢驗", "受け入れ", "受入", "完了", "検証", "達成", "終了",
    "確認", "완료", "인수", "수용", "성공", "검증", "통과", "종료", "합격", "승인",
)  # fmt: skip
"""What they decide about, before one of ``CRITERIA_CJK``: "验证标准", "受け入れ基準"."""

CRITERIA_CJK = (
    "标准", "条件", "准则", "指标", "要点", "清单", "標準", "條件", "準則", "指標", "要點", "清單",
    "基準", "項目", "事項", "조건", "기준", "항목",
)  # fmt: skip
"""What holds, by which something else is judged."""

CRITERIA_LAST = ("criteria", "criterion", "kriterien", "kriterier", "kriterleri")
CRITERIA_FIRST = (
    "critères", "critère", "criterios", "criterio", "critérios", "critério", "criteri", "kryteria",
    "kriteria", "tiêu chí", "критерии", "критерий", "критерії", "kritéria",
)  # fmt: skip
"""Nouns at the end or the beginning of a label of checks, whatever they are the criteria of."""

CHOSEN_BY = frozenset(
    {
        "search", "filter", "filtering", "selection", "sort", "sorting", "match", "matching",
        "ranking", "query", "scoring", "rating", "suchkriterien", "filterkriterien",
        "auswahlkriterien", "sortierkriterien", "recherche",
        "búsqueda", "busca", "ricerca", "selección", "seleção", "sélection", "selezione", "поиска",
        "отбора", "pencarian", "arama",
    }
)  # fmt: skip
"""Words that make a feature of criteria: "Search criteria"."""

FILES = frozenset(
    {
        "files", "file list", "file checklist", "files checklist", "files to create",
        "files to modify", "files to create/modify", "files to change", "files created",
        "files modified", "files changed", "new files", "modified files", "key files",
        "dateien", "archivos", "fichiers", "arquivos", "файлы", "文件", "文件清单", "ファイル",
        "파일",
    }
)  # fmt: skip
"""Labels and headings of lists of files: a checkbox before a path says that it exists."""

DONE_LABELS = frozenset(
    {
        "done", "fertig", "terminé", "fait", "hecho", "feito", "fatto", "klar", "gereed", "gotowe",
        "готово", "完成", "完了", "완료",
    }
)  # fmt: skip
"""Labels of what holds when a task is done, where the checkboxes below are open."""

WORK = frozenset(
    {
        "task", "tasks", "task list", "todo", "todos", "to do", "to-do", "implementation",
        "implementation tasks", "implementation steps", "steps", "subtasks", "sub-tasks",
        "work items", "action items", "actions", "deliverables", "任务", "任务列表", "タスク",
        "作業", "작업", "задачи", "завдання", "tareas", "tâches", "tarefas", "aufgaben",
        "attività", "taken", "zadania", "görevler", "công việc",
    }
)  # fmt: skip
"""Labels and headings that introduce work: how to do it is above them."""

PHASES = (
    "phase", "milestone", "sprint", "stage", "step", "week", "month", "quarter", "day",
    "iteration",
    "part", "chapter", "section", "wave", "epic", "level", "module", "fase", "étape", "etape",
    "jalon", "semaine", "schritt", "meilenstein", "woche", "etapa", "paso", "hito", "semana",
    "passo",
    "marco", "tappa", "stap", "mijlpaal", "etap", "faza", "fáze", "krok", "aşama", "adım", "vaihe",
    "tahap", "giai đoạn", "фаза", "этап", "шаг", "спринт", "неделя", "веха", "етап", "крок",
    "阶段", "階段", "里程碑", "步骤", "フェーズ", "ステップ", "段階", "マイルストーン", "단계",
    "마일스톤", "스프린트",
)  # fmt: skip
COUNTED = ("阶段", "階段", "章", "步", "期", "周", "段階", "フェーズ", "단계", "주차")
"""Words that follow their number: 第一阶段, 1단계."""

TASKS = (
    "task", "thrust", "session", "story", "user story", "issue", "ticket", "item", "feature",
    "work item", "subtask", "aufgabe", "tarea", "tâche", "tarefa", "compito", "taak", "zadanie",
    "görev", "задача", "завдання", "任务", "タスク", "작업",
)  # fmt: skip
"""Words that make a heading with a number a task."""

STATUSES = frozenset(
    {
        "done", "completed", "complete", "finished", "in progress", "in-progress", "wip", "doing",
        "ongoing", "current", "pending", "todo", "to do", "to-do", "backlog", "next", "up next",
        "next up", "planned", "upcoming", "not started", "remaining", "blocked", "later", "future",
        "now", "erledigt", "offen", "in arbeit", "geplant", "hecho", "completado", "en progreso",
        "pendiente", "terminé", "fait", "en cours", "à faire", "concluído", "em andamento",
        "pendente", "a fazer", "готово", "сделано", "выполнено", "в работе", "в процессе",
        "запланировано", "已完成", "进行中", "待办", "待处理", "计划中", "未开始", "完了",
        "進行中",
        "未着手", "予定", "완료", "진행 중", "진행중", "예정", "대기",
    }
)  # fmt: skip
"""Headings that say a status."""

STATUS_COLUMNS = frozenset(
    {
        "status", "state", "done", "done?", "complete", "completed", "estado",
        "statut",
        "état", "stato", "stav", "durum", "статус", "состояние", "状态", "狀態", "状態",
        "ステータス", "상태", "진행",
    }
)  # fmt: skip
TASK_COLUMNS = frozenset(
    {
        "task", "tasks", "feature", "item", "name", "title", "description", "what", "deliverable",
        "work", "milestone", "phase", "story", "goal", "aufgabe", "tarea", "tâche", "tarefa",
        "задача", "任务", "功能", "タスク", "項目", "機能", "작업", "기능",
    }
)  # fmt: skip

STATUS_MARKS = (
    "✅", "☑", "✔", "✓", "❌", "✗", "✘", "⏳", "⌛", "🔄", "🚧", "⚠", "🟢", "🟡", "🔴", "🟠", "🔵",
    "⚪",
    "⬜", "🔲", "☐", "⏸", "📋", "🚀", "🎯", "⏭", "🏗", "📝", "💡", "🔜", "🆕", "🛑", "⛔", "🟩",
    "🟨","🟥",
    "🔥", "⭐", "✨",
)  # fmt: skip
"""Marks that mean a status or an urgency before or after a text."""


# ruff: noqa: RUF001 (the letters of other languages are meant)


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for one of the words; in scripts with spaces they are separate words."""
    longest = sorted(words, key=len, reverse=True)
    blanks = "|".join(re.escape(word) for word in longest if word[0] < "\u1100")
    others = "|".join(re.escape(word) for word in longest if word[0] >= "\u1100")
    return rf"(?:(?<![^\W\d_])(?:{blanks or '(?!)'})(?![^\W\d_])|(?:{others or '(?!)'}))"


DEPENDS = frozenset(
    {
        "depends on", "depends", "depend on", "depends upon", "dependent on", "dependency",
        "dependencies", "dep", "deps", "task dependencies", "phase dependencies", "blocked by",
        "blocker", "blockers", "blocked until",
        "prerequisite", "prerequisites", "pre-requisite", "pre-requisites", "prereq", "prereqs",
        "requires", "require", "required", "needs", "abhängig von", "abhängigkeit",
        "abhängigkeiten", "hängt ab von", "hängt von", "voraussetzung", "voraussetzungen",
        "benötigt", "erfordert", "blockiert durch", "blockiert von", "dépend de", "dépend",
        "dépendance", "dépendances", "prérequis", "pré-requis", "nécessite", "requiert",
        "bloqué par", "depende de", "depende", "dependencia", "dependencias", "requiere",
        "requisito previo", "requisitos previos", "prerrequisito", "prerrequisitos",
        "bloqueado por", "dependência", "dependências", "pré-requisito", "pré-requisitos",
        "requer", "dipende da", "dipendenza", "dipendenze", "prerequisito", "prerequisiti",
        "richiede", "afhankelijk van", "hangt af van", "afhankelijkheid", "afhankelijkheden",
        "vereist", "vereisten", "zależy od", "zależność", "zależności", "wymaga", "beror på",
        "beroende", "beroenden", "kräver", "závisí na", "závislost", "závislosti", "bağımlılık",
        "bağımlılıklar", "gerektirir", "phụ thuộc", "phụ thuộc vào", "điều kiện tiên quyết",
        "bergantung pada", "prasyarat", "зависит от", "зависимость", "зависимости", "требует",
        "требуется", "предусловие", "предусловия", "залежить від", "залежність", "залежності",
        "依赖", "依赖于", "依赖项", "依赖关系", "前置依赖", "前置任务", "前置条件", "前置", "前提",
        "前提条件", "需要", "依賴", "相依", "前置任務", "依存", "依存関係", "依存先", "依存タスク",
        "前提タスク", "先行タスク", "의존성", "의존", "의존 관계", "선행 조건", "선행조건",
        "선행 작업", "선행작업", "전제 조건",
    }
)  # fmt: skip
WEAK = frozenset(
    {
        "requires", "require", "required", "needs", "benötigt", "erfordert", "nécessite",
        "requiert", "requiere", "requer", "richiede", "vereist", "wymaga", "kräver", "gerektirir",
        "требует", "требуется", "需要",
    }
)  # fmt: skip
"""Of these, words that head as much else: without a colon they count only before a known name."""
SAID = frozenset(
    {
        "depends on", "depend on", "depends upon", "dependent on", "blocked by", "requires",
        "abhängig von", "hängt ab von", "hängt von", "blockiert durch", "dépend de", "bloqué par",
        "depende de", "bloqueado por", "dipende da", "afhankelijk van", "zależy od", "beror på",
        "závisí na", "phụ thuộc vào", "зависит от", "залежить від", "依赖于", "依赖", "需要",
    }
)  # fmt: skip
"""Of these, words that come before a name without a colon."""
PRIORITY = frozenset(
    {
        "priority", "prio", "priorität", "prioridad", "priorité", "prioridade", "priorità",
        "prioriteit", "priorytet", "prioritet", "öncelik", "ưu tiên", "приоритет", "пріоритет",
        "优先级", "優先級", "優先度", "优先度", "우선순위",
    }
)  # fmt: skip
EFFORT = frozenset(
    {
        "effort", "estimate", "estimated effort", "estimated time", "estimation", "time estimate",
        "effort estimate", "est. time", "est. effort", "est", "duration", "estimated duration",
        "timeline", "time", "aufwand", "geschätzter aufwand", "dauer", "zeitaufwand", "schätzung",
        "durée", "durée estimée", "charge", "duración", "esfuerzo", "estimación",
        "tiempo estimado", "duração", "esforço", "estimativa", "tempo estimado", "durata",
        "sforzo", "stima", "duur", "inspanning", "czas", "szacowany czas", "süre", "thời gian",
        "трудозатраты", "оценка", "оценка времени", "длительность", "срок", "тривалість", "工时",
        "工期", "预计时间", "预估时间", "预计工时", "预计用时", "預估時間", "工数", "見積もり",
        "見積", "所要時間", "推定時間", "予定工数", "예상 시간", "소요 시간", "예상 기간",
    }
)  # fmt: skip
OPTIONAL = frozenset(
    {
        "optional", "nice to have", "nice-to-have", "stretch", "stretch goal", "stretch goals",
        "bonus", "optionnel", "optionnelle", "facultatif", "facultative", "opcional",
        "opcionales", "opcionais", "opzionale", "facoltativo", "optioneel", "opcjonalne",
        "opcjonalnie", "valfritt", "volitelné", "isteğe bağlı",
        "opsiyonel", "tùy chọn", "опционально", "опция",
        "необязательно", "за бажанням", "необов'язково", "可选", "选做", "可選", "任意",
        "オプション", "선택", "선택 사항", "선택사항",
    }
)  # fmt: skip
OPTIONAL_KINDS = (
    "features", "feature", "enhancement", "enhancements", "improvements", "tasks", "extras",
    "items", "steps", "work", "polish", "goals", "additions", "extensions", "ideas", "cleanup",
    "tareas", "mejoras", "tarefas", "melhorias", "tâches", "améliorations",
)  # fmt: skip
"""What a heading may call optional: "Optional enhancements", but not "Optional parameters"."""
NOT_NOW = frozenset(
    {
        "rollback", "rollback plan", "rollback procedure", "rollback steps", "contingency",
        "contingency plan", "out of scope", "non-goals", "non goals", "not planned", "won't do",
        "will not do", "wontfix", "rejected", "rollback-plan", "plan de rollback",
        "fuera de alcance", "fora do escopo", "hors périmètre", "nicht im umfang", "nicht-ziele",
        "вне рамок", "план отката", "回滚计划", "回滚方案", "ロールバック", "対象外", "롤백 계획",
        "potential features", "other potential features", "possible features",
        "other possible features", "feature ideas", "future ideas", "wishlist", "wish list",
        "possible improvements", "possible enhancements", "potential improvements",
        "mögliche verbesserungen", "mögliche erweiterungen", "posibles mejoras",
        "mejoras posibles", "possíveis melhorias", "melhorias possíveis",
        "améliorations possibles", "possibili miglioramenti", "возможные улучшения",
        "可能的改进", "将来の拡張案",
        "icebox", "ice box", "parking lot", "someday", "someday/maybe", "maybe",
        "open questions", "questions", "questions to answer", "unanswered questions",
        "unresolved questions", "questions to resolve", "offene fragen", "questions ouvertes",
        "preguntas abiertas", "perguntas em aberto", "domande aperte", "открытые вопросы",
        "待解决问题", "未解決の質問",
    }
)  # fmt: skip
"""Headings of what is done only if something goes wrong, or not at all, or is not decided."""
OUT_OF_SCOPE = (
    "out of scope", "not in scope", "outside the scope", "fuera de alcance", "fora do escopo",
    "hors périmètre", "nicht im umfang", "di luar cakupan", "вне рамок",
)  # fmt: skip
"""What a heading says in brackets of what is not to be done."""
IF_NEEDED = (
    "if needed", "if necessary", "as needed", "if required", "when needed", "where needed",
    "if time permits", "if time allows", "time permitting", "if there is time", "if possible",
    "if applicable", "where applicable", "when applicable", "as applicable", "if feasible",
    "if available", "when available", "if/when needed", "if and when needed",
    "when/if needed", "if/as needed", "falls zutreffend", "falls verfügbar", "falls vorhanden",
    "falls möglich", "wenn möglich", "sofern möglich", "si disponible", "si disponibles",
    "si applicable", "si possible", "si aplica", "si procede", "si es posible",
    "si corresponde", "se aplicável", "se disponível", "se disponíveis", "se possível",
    "se applicabile", "se possibile", "se disponibile", "indien van toepassing",
    "indien mogelijk", "om möjligt", "если возможно", "если применимо", "якщо можливо",
    "falls nötig", "wenn nötig", "bei bedarf", "falls erforderlich", "si nécessaire", "si besoin",
    "si es necesario", "si hace falta", "se necessário", "se for necessário", "se necessario",
    "indien nodig", "om det behövs", "vid behov", "w razie potrzeby", "jeśli potrzeba",
    "gerekirse", "varsa", "nếu cần", "jika perlu", "если нужно", "при необходимости", "за потреби",
    "如需要", "如有需要", "如有必要", "必要に応じて", "必要なら", "필요시", "필요 시", "필요하면",
)  # fmt: skip
"""What makes a task optional in brackets behind it."""
PUT_OFF = (
    "later", "deferred", "postponed", "put off", "on hold", "später", "verschoben",
    "zurückgestellt", "plus tard", "reporté", "reportée", "más tarde", "más adelante", "aplazado",
    "aplazada", "pospuesto", "pospuesta", "mais tarde", "adiado", "adiada", "più tardi",
    "rimandato", "rimandata", "uitgesteld", "senare", "uppskjuten", "позже", "отложено",
    "отложена", "пізніше", "відкладено", "延期", "暂缓", "以后", "後回し", "나중에", "보류",
)  # fmt: skip
"""In brackets at the end of a task: it is not to be done now. More may follow it: "until v2"."""
BUT = (
    "but", "aber", "mais", "pero", "mas", "ma", "maar", "men", "но", "але", "ama", "fakat", "tapi",
)  # fmt: skip
UNDECIDED = (
    "tbd", "tba", "tbc", "t.b.d.", "to be determined", "to be defined", "to be decided",
    "to be planned", "to be announced", "to be confirmed", "to be broken down", "not yet planned",
    "not planned yet", "not yet defined", "todo", "to do", "...", "…", "???", "xxx", "a definir",
    "por definir", "por determinar", "a determinar", "à définir", "à déterminer", "noch offen",
    "noch zu planen", "noch zu definieren", "wird noch festgelegt", "wird noch geplant",
    "da definire", "da decidere", "da pianificare", "nader te bepalen", "nog te bepalen",
    "do ustalenia", "bude upřesněno", "belirlenecek", "att bestämma", "chưa xác định",
    "akan ditentukan", "будет определено", "определится позже", "уточняется", "не определено",
    "буде визначено", "待定", "待补充", "待補", "待规划", "未定", "検討中", "미정", "추후 결정",
    "추후 확정",
)  # fmt: skip
"""What stands where a task is still to be written."""
NONE = (
    "none", "nothing", "no dependencies", "no dependency", "no prerequisites", "no prerequisite",
    "not applicable", "n/a", "na", "nil", "null", "independent", "standalone", "keine", "keiner",
    "nichts", "keine abhängigkeiten", "aucune", "aucun", "rien", "ninguna", "ninguno", "nada",
    "sin dependencias", "nenhuma", "nenhum", "sem dependências", "nessuna", "nessuno", "niente",
    "geen", "niets", "brak", "ingen", "inga", "inget", "žádné", "žádná", "yok", "không",
    "không có", "tidak ada", "нет", "отсутствуют", "отсутствует", "ничего", "немає",
    "без зависимостей", "无", "無", "没有", "無し", "无依赖", "无前置条件", "无前置",
    "なし", "ありません", "無い", "없음", "없다", "해당 없음",
)  # fmt: skip
"""Values that name no dependency."""
EXCEPT = (
    "except", "besides", "apart from", "other than", " but ", "außer", "sauf", "salvo", "excepto",
    "exceto", "кроме", "以外", "除", "제외",
)  # fmt: skip
BESIDE = (
    "parallel", "paralel", "concurrent", "simultan", "alongside", "at the same time",
    "nebenläufig", "gleichzeitig", "en même temps", "al mismo tiempo", "параллельн", "одновременн",
    "паралельн", "并行", "並行", "同时", "同時", "병렬", "동시에",
)  # fmt: skip
"""What texts say about tasks that do not wait for each other."""
SOFT = (
    "optional", "not ", "soft", "recommended", "nice to have", "nice-to-have", "partial",
    "opcional", "optionnel", "facultatif", "nicht ", "empfohlen", "желательно", "необязательно",
    "可选", "部分", "任意", "推奨", "선택",
)  # fmt: skip
"""What makes a named dependency something less."""
EITHER = (
    "or", "oder", "ou", "o", "eller", "lub", "nebo", "veya", "или", "або", "或", "または", "또는",
)  # fmt: skip
"""Between two names: one of them is enough, which is no dependency on either."""
TOGETHER = (
    "and", "as well as", "plus", "und", "sowie", "et", "y", "e", "en", "och", "og", "oraz", "ve",
    "và", "dan", "и", "та", "і", "및", "그리고",
)  # fmt: skip
TOGETHER_CJK = ("和", "与", "與", "及", "以及", "と")
UNTIL = ("to", "through", "thru", "until", "bis", "à", "al", "до", "по", "至", "到", "から")
"""Between the ends of a range, besides a dash."""
BEFORE = (
    "requires", "needs", "depends on", "after", "completion of", "complete", "completed", "all of",
    "all tasks in", "all tasks of", "all tasks from", "all", "tasks in", "tasks of", "tasks from",
    "the", "everything in", "everything from", "abschluss von", "alle aufgaben aus", "nach",
    "après", "fin de", "después de", "completar", "após", "conclusão de", "dopo", "после",
    "завершение", "完成", "需要", "依赖", "依赖于",
)  # fmt: skip
"""Words before the name of a dependency that add nothing to its key."""
AFTER = (
    "must complete", "must finish", "has to be complete", "has to be done", "needs to be done",
    "is complete", "is completed", "is done", "is finished", "are complete", "are completed",
    "are done", "must be complete", "must be completed", "must be done", "must be finished",
    "should be complete", "should be done", "complete", "completed", "completion", "done",
    "finished", "tasks", "fully", "first", "to be complete", "to be completed", "to be done", "ab",
    "abgeschlossen", "fertig", "terminé", "terminée", "terminés", "terminées", "complété",
    "complétée", "completado", "completada", "completadas", "completo", "completa", "concluída",
    "concluído", "concluídas", "terminada", "completata", "completato", "voltooid", "afgerond",
    "completados", "completos", "completas", "concluídos", "launched", "released", "shipped",
    "deployed", "merged", "live", "veröffentlicht", "ausgeliefert", "lanzado", "lanzada",
    "desplegado", "desplegada", "desplegados", "publicado", "publicada", "lançado", "lançada",
    "publié", "publiée", "livré", "livrée", "déployé", "déployée", "rilasciato", "rilasciata",
    "zakończona", "завершен", "завершена", "завершён", "завершены", "завершено", "готово", "完成",
    "已完成", "完成后", "完成後", "之后", "的完成", "の完了", "の完了後", "完了", "完了後",
    "が完了", "後", "に依存", "が必要", "완료", "완료 후", "이후",
)  # fmt: skip
"""Words after it."""
