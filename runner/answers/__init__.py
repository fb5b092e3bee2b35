"""From a model's answer to a change set: what models really send, understood without raising."""
