"""Recovery: why a task failed, what is proposed, who is asked. Pure; the nodes ask and apply."""
