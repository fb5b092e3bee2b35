"""Closed lists of words that a proposal reads besides those of the parser.

What is not in a list is not guessed at. Words are compared casefolded.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(word.strip() for word in text.replace("\n", ",").split(",") if word.strip())


DONE = _words(
    """
    done, complete, completed, finished, shipped, released, implemented, closed, resolved
    merged, 完了, 済, 済み, 完成, 已完成, 完了済み, 완료, terminé, terminée, fait, fertig
    erledigt, abgeschlossen, hecho, completado, completada, terminado, feito, concluído
    concluída, fatto, completato, готово, выполнено, завершено, сделано, voltooid, gereed
    ukończone, zrobione
    """
)
OPEN = _words(
    """
    in progress, doing, wip, ongoing, started, in review, review, testing, planned, todo, to do
    to-do, pending, not started, blocked, backlog, icebox, next, next up, later, now, soon
    upcoming, future, short term, medium term, long term, open, on hold, deferred, ready
    not done, incomplete, partial, partially, almost, mostly, half, cancelled, dropped, 進行中
    进行中, 未着手, 未完了, 未完成, 待办, 待辦, 計画中, 计划中, 予定, 예정, 진행 중, en cours
    à faire, in arbeit, geplant, offen, en progreso, en curso, pendiente, em andamento, da fare
    in corso, в процессе, в работе, запланировано, не начато, не готово, nicht fertig
    no terminado
    """
)
TODOS = _words(
    """
    roadmap, todo, to do, to-do, todos, todo list, to-do list, tasks, task list, plan, backlog
    work items, action items, next steps, open tasks, plans, work, implementation, issues
    subtasks, tareas, aufgaben, tâches, tarefas, задачи, план, дорожная карта, feuille de route
    hoja de ruta, fahrplan, 路线图, 任务, 任务列表, タスク, タスク一覧, ロードマップ, 할 일
    로드맵
    """
)
FIELDS = _words(
    """
    goal, goals, objective, objectives, status, blocks, complexity, owner, assignee, file, files
    note, notes, risk, risks, why, rationale, purpose, description, context, background
    reference, references, links, due, due date, target, target date, focus, theme, requirements
    impact, value, details, technical details, tests, output, outcome, example, zustand, ziel
    estado, objetivo, statut, objectif, статус, цель, 状态, 目标, 負責人, 负责人, 状態
    ステータス, 目標, 担当, 期限, 상태, 목표
    """
)
ASIDES = _words(
    """
    overview, introduction, summary, executive summary, resources, architecture, legend, key
    glossary, contents, table of contents, toc, contributing, license, about, vision, mission
    motivation, progress, progress summary, metrics, kpis, assumptions, non-goals, out of scope
    principles, guiding principles, conventions, phases, faq, appendix, changelog, history
    tech stack, technology stack, technologies, how to contribute, contributors
    acknowledgements, feedback, team, questions, open questions, decisions, 概要, はじめに, 背景
    简介, 概述, 目录, 参考, 凡例, 图例, 개요, обзор, введение, легенда, einleitung, überblick
    introducción, resumen, leyenda, légende, aperçu
    """
)
ID_COLUMNS = _words(
    """
    id, #, no, no., nr, nr., num, number, key, ref, 编号, 番号, №
    """
)
NOUNS = _words(
    """
    features, feature, tasks, items, work, todos, phases, improvements, milestones
    """
)
