"""Closed lists of words: what heads checks and tasks, what is a phase, in the languages seen."""
# ruff: noqa: RUF001 (the letters of other languages are meant)

from __future__ import annotations

CHECKS = frozenset(
    {
        "acceptance", "acceptance criteria", "acceptance criterion", "acceptance checklist",
        "success criteria", "success criterion",
        "success metrics", "expected behavior", "expected behaviour", "expected behaviors",
        "expected behaviours", "expected result", "expected results", "expected outcome",
        "expected outcomes", "exit criteria", "completion criteria", "done criteria",
        "validation criteria", "verification", "verification criteria", "verification steps",
        "verification checklist", "verification points", "verify", "verify that",
        "definition of done", "dod", "done when", "done if", "complete when", "completed when",
        "is done when", "finished when", "checkpoint", "checkpoints", "must be true",
        "what must be true", "akzeptanzkriterien", "abnahmekriterien", "erfolgskriterien",
        "fertig wenn", "criterios de aceptación", "criterio de aceptación", "criterios de éxito",
        "verificación", "critères d'acceptation", "critères de succès", "critères de réussite",
        "vérification", "critérios de aceitação", "critérios de aceite", "critérios de sucesso",
        "verificação", "criteri di accettazione", "criteri di successo", "acceptatiecriteria",
        "kryteria akceptacji", "kryteria sukcesu", "kabul kriterleri", "başarı kriterleri",
        "kriteria penerimaan", "tiêu chí chấp nhận", "tiêu chí hoàn thành", "критерии",
        "критерии приемки", "критерии приёмки", "критерии готовности", "критерии успеха",
        "критерии завершения", "критерии выполнения", "проверка", "критерії приймання",
        "критерії готовності", "критерії",
    }
)  # fmt: skip
"""Labels and headings of checks. "testing", "checklist", "review" and "quality" alone head real
work as often, so they are not here."""

CHECKS_CJK = (
    "验收", "完成标准", "完成条件", "成功标准", "驗收", "完成標準", "成功標準", "完了条件",
    "完了基準",
    "受け入れ条件", "受入条件", "受け入れ基準", "受入基準", "成功基準", "合格基準", "検証項目",
    "완료 조건", "완료 기준", "완료조건", "인수 조건", "수용 기준", "성공 기준",
)  # fmt: skip
"""The same where words are not divided by blanks: part of a short label."""

FILES = frozenset(
    {
        "files", "file list", "file checklist", "files checklist", "files to create",
        "files to modify", "files to create/modify", "files to change", "files created",
        "files modified", "files changed", "new files", "modified files", "key files",
        "dateien", "archivos", "fichiers", "arquivos", "файлы", "文件", "文件清单", "ファイル",
        "파일",
    }
)  # fmt: skip
"""Labels and headings of lists of files: a box before a path says that the file is there."""

WORK = frozenset(
    {
        "task", "tasks", "task list", "todo", "todos", "to do", "to-do", "implementation",
        "implementation tasks", "implementation steps", "steps", "subtasks", "sub-tasks",
        "work items", "action items", "actions", "deliverables", "任务", "任务列表", "タスク",
        "作業", "작업", "задачи", "завдання", "tareas", "tâches", "tarefas", "aufgaben",
        "attività", "taken", "zadania", "görevler", "công việc",
    }
)  # fmt: skip
"""Labels and headings that introduce work: the how stands above them."""

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
"""Words that make a heading with a number a task of its own."""

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
"""Marks that stand for a status or an urgency before or after a text."""
