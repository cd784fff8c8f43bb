"""Verify: findings are proven or dismissed by running their code with real JAX, in processes of their own.

`api.verify` verifies findings, `survey.survey` looks at every entry point; `options.VerifyOptions` says how.
"""
