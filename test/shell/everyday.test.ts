/** Everyday commands of coding agents pass under the rules that anybody would write for them. */

import { describe, expect, it } from 'vitest'
import { decisionOf } from '../builders/shell-decision.js'

/** Each command with the programs whose `bash(program:*)` is allowed; paths stand for `write(path)`. */
const EVERYDAY: readonly (readonly [command: string, allowed: string])[] = [
  ['npm test', 'npm'],
  ['npm ci && npm run build && npm test', 'npm'],
  ['npm run lint 2>&1 | tail -n 20', 'npm tail'],
  ['npm run build >/dev/null 2>&1 || echo failed', 'npm echo'],
  ['npx tsc --noEmit', 'npx tsc'],
  ['npx --yes prettier --check src', 'npx prettier'],
  ['pnpm install --frozen-lockfile', 'pnpm'],
  ['yarn workspace web build', 'yarn'],
  ['NODE_ENV=test CI=1 npm test -- --watch=false', 'npm'],
  ['git status --porcelain', 'git'],
  ['git status && git diff --stat && git log --oneline -n 5', 'git'],
  ['git --no-pager log --oneline -10', 'git'],
  ['git -C packages/core status', 'git'],
  ['git add -A && git commit -m "feat: add (x) & y; it\'s done"', 'git'],
  [
    'git commit -m "$(cat <<\'EOF\'\nfeat: x (#12)\n\nBody with `code` and $HOME\nEOF\n)"',
    'git cat',
  ],
  ['git log --pretty=format:"%h %s" | grep -E "^(feat|fix)" | head -n 20', 'git grep head'],
  ['git diff HEAD~1 -- src/index.ts', 'git'],
  ['git checkout -b feature/x', 'git'],
  ['git show HEAD:package.json | jq -r .version', 'git jq'],
  ['git branch --show-current', 'git'],
  ['git push origin HEAD', 'git'],
  ['git stash && git pull --rebase && git stash pop', 'git'],
  ['gh pr view 12 --json files --jq ".files[] | .path"', 'gh'],
  ['gh pr create --title "x: y" --body "$(cat body.md)"', 'gh cat'],
  ['ls -la src | head', 'ls head'],
  ['cat package.json | jq ".scripts | keys[]"', 'cat jq'],
  ['rg -n "TODO|FIXME" src --glob "*.ts"', 'rg'],
  ['grep -rn "foo(bar)" src/ --include="*.ts" | wc -l', 'grep wc'],
  ['find . -name "*.ts" -not -path "./node_modules/*" | sort | head -50', 'find sort head'],
  ['find src -type f -name "*.snap" -exec rm -f {} +', 'rm'],
  ['find . -name "*.log" -print0 | xargs -0 rm -f', 'find rm'],
  ['find . -type f | xargs wc -l', 'find wc'],
  ['sed -n "1,120p" src/index.ts', 'sed'],
  ["sed -i 's/foo/bar/g' src/a.ts src/b.ts", 'sed'],
  ["sed -i.bak -e 's#a/b#c/d#g; s/x/y/' src/a.ts && rm src/a.ts.bak", 'sed rm'],
  ['head -n 40 README.md && tail -5 CHANGELOG.md', 'head tail'],
  ['mkdir -p src/new && touch src/new/index.ts', 'mkdir touch'],
  ['cp -r templates/app packages/app && rm -rf packages/app/.cache', 'cp rm'],
  ['rm -rf ./build dist/*.js', 'rm'],
  ['mv src/old.ts src/new.ts', 'mv'],
  ['cd packages/core && npm test', 'cd npm'],
  ['cd sub && make -j4 && cd ..', 'cd make'],
  ['(cd web && npm run build) && (cd api && go build ./...)', 'cd npm go'],
  ['pushd web && npm test; popd', 'pushd npm popd'],
  ['timeout 60 npm test', 'npm'],
  ['time cargo build --release', 'cargo'],
  ['nohup npm start >/dev/null 2>&1 &', 'npm'],
  ["bash -lc 'cd web && npm test'", 'cd npm'],
  ["sh -c 'echo hi; ls'", 'echo ls'],
  ['env FORCE_COLOR=0 npx vitest run', 'npx vitest'],
  ['RUST_BACKTRACE=1 cargo test -- --nocapture', 'cargo'],
  ['cargo fmt --all -- --check && cargo clippy --all-targets -- -D warnings', 'cargo'],
  ['go build ./... && go vet ./... && go test -race ./...', 'go'],
  ['python -m pytest -q tests/test_a.py::test_b -k "x and not y"', 'python'],
  ['python3 scripts/gen.py --out=dist', 'python3'],
  ['pip install -r requirements.txt', 'pip'],
  ['uv run pytest -q', 'uv pytest'],
  ['ruff check . --fix && mypy src', 'ruff mypy'],
  ['make test | tee test.log', 'make tee'],
  ['docker compose up -d && docker compose logs --tail=50', 'docker'],
  ['docker build -t app:dev --build-arg V=1 .', 'docker'],
  ['kubectl --context dev get pods -n web', 'kubectl'],
  ['curl -fsSL https://example.com/api | jq .', 'curl jq'],
  ['for f in src/*.ts; do echo "$f"; wc -l "$f"; done', 'echo wc'],
  ['for d in a b; do (cd "$d" && npm test); done', 'cd npm'],
  ['while read -r line; do echo "$line"; done < list.txt', 'read echo'],
  ['if [ -f package.json ]; then npm ci; else echo none; fi', '[ npm echo'],
  ['[[ -d node_modules ]] || npm ci', 'npm'],
  ['test -f .nvmrc && echo yes || echo no', 'test echo'],
  ['set -euo pipefail; npm run build; npm test', 'set npm'],
  ['export NODE_ENV=production && npm run build', 'export npm'],
  ['V=$(node --version) && echo "node $V"', 'node echo'],
  ['node dist/index.js --port=3000 &', 'node'],
  ['echo "a|b (c) > d" && echo \'$(rm -rf /)\'', 'echo'],
  ["cat <<'EOF'\nrm -rf / | $(id)\nEOF", 'cat'],
  ["cat > notes.md <<'EOF'\n# Notes\n`code` and $x\nEOF", 'cat write(notes.md)'],
  ['echo done > out.txt', 'echo write(out.txt)'],
  ['npm test > test.log 2>&1; tail -20 test.log', 'npm tail write(*.log)'],
  ['sort -u names.txt -o sorted.txt', 'sort write(sorted.txt)'],
  ['diff <(sort a.txt) <(sort b.txt)', 'diff sort'],
  ['tar -czf dist.tgz dist', 'tar write(dist.tgz)'],
  ['tar -xzf vendor.tgz -C vendor', 'tar'],
  ['ps aux | grep node | grep -v grep', 'ps grep'],
  ['which node && command -v npm', 'which command'],
  ['sleep 1 && date +%s', 'sleep date'],
  ['i=0; while [ "$i" -lt 3 ]; do echo "$i"; i=$((i + 1)); done', '[ echo'],
  ['for ((i=0; i<3; i++)); do echo $i; done', 'echo'],
  ['printf "%s\\n" "$PWD" "a b"', 'printf'],
  ['chmod +x scripts/run.sh && ./scripts/run.sh --fast', 'chmod ./scripts/run.sh'],
  ['/usr/bin/git status', 'git'],
  ['git switch -c feat/x', 'git'],
  ['git bisect start HEAD v1.0.0 && git bisect good', 'git'],
  ['git -c core.pager=cat diff', 'git'],
  ['git -c user.name=a -c user.email=a@example.com commit -m x', 'git'],
  ['git config user.email "a@example.com"', 'git'],
  ['GIT_PAGER=cat git log -5', 'git'],
  ['GIT_EDITOR=true git rebase --continue', 'git'],
  ['GIT_COMMITTER_DATE="2026-01-01 10:00" git commit --amend --no-edit', 'git'],
  ['npm init -y', 'npm'],
  ['NODE_OPTIONS=--max-old-space-size=4096 npm run build', 'npm'],
  ['env NODE_OPTIONS=--max-old-space-size=4096 npm run build', 'npm'],
  ['export PAGER=cat; git log', 'export git'],
  ['PYTHONUNBUFFERED=1 python scripts/x.py', 'python'],
  ['CARGO_TERM_COLOR=never cargo test', 'cargo'],
  ['cargo run --bin app -- --config cfg.toml', 'cargo'],
  ['make -j$(nproc)', 'make nproc'],
  ['make -j "$(nproc)" all', 'make nproc'],
  ['while IFS= read -r f; do echo "$f"; done < list.txt', 'read echo'],
  ['IFS=, read -r a b <<< "1,2"; echo "$a"', 'read echo'],
]

describe('everyday commands', () => {
  it('are at least sixty', () => {
    expect(EVERYDAY.length).toBeGreaterThanOrEqual(60)
  })

  it.each(EVERYDAY)('%j passes under rules for %s', (command, allowed) => {
    expect(decisionOf(rulesFor(allowed), command)).toBe('allow')
  })

  it.each(EVERYDAY)('%j passes under a rule for every command', (command) => {
    expect(decisionOf(['allow bash'], command)).toBe('allow')
  })

  it.each(EVERYDAY)('%j asks when one of its rules, %s, is missing', (command, allowed) => {
    const rules = rulesFor(allowed)

    for (const rule of rules) {
      expect([
        rule,
        decisionOf(
          rules.filter((one) => one !== rule),
          command,
        ),
      ]).toEqual([rule, 'ask'])
    }
  })
})

function rulesFor(allowed: string): readonly string[] {
  return allowed
    .split(' ')
    .map((name) => (name.startsWith('write(') ? `allow ${name}` : `allow bash(${name}:*)`))
}
