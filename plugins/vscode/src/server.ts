// Starts and stops the server, one after the other, and knows its state.

import { homedir } from "node:os";
import { mkdir } from "node:fs/promises";
import { EventEmitter, type ExtensionContext, type LogOutputChannel, workspace } from "vscode";
import { type LanguageClient, State as ClientState } from "vscode-languageclient/node";
import { client, SECTION } from "./client";
import { agreed, install } from "./installer";
import { judge, type Verdict } from "./logic/environment";
import { choose, type Choice } from "./logic/interpreter";
import { question, server } from "./logic/programs";
import { run } from "./logic/run";
import type { State } from "./logic/status";
import { chosenInterpreter } from "./pythonExtension";

const QUESTION_SECONDS = 60; // a cold environment on a network's disk takes long to start

/** The server. */
export class Server {
  private running: LanguageClient | undefined;
  private last: Promise<void> = Promise.resolve();
  private readonly changes = new EventEmitter<State>();
  private current: State = { kind: "stopped", reason: "it has not been started yet" };

  /** Happens when the state changes. */
  readonly onState = this.changes.event;

  constructor(
    private readonly context: ExtensionContext,
    private readonly output: LogOutputChannel,
  ) {}

  get state(): State {
    return this.current;
  }

  /** The client of the server; undefined if it does not run. */
  get client(): LanguageClient | undefined {
    return this.current.kind === "running" ? this.running : undefined;
  }

  /** Ends the server if it runs, and starts it with what is now the interpreter. */
  restart(): Promise<void> {
    return this.inTurn(async () => {
      await this.end();
      this.become({ kind: "starting" });
      await this.begin();
    });
  }

  /** Installs jitlint into the environment, whatever was answered before, and starts the server. */
  async install(): Promise<string | undefined> {
    const choice = await this.choose();
    if (choice.kind === "none") {
      return choice.reason;
    }
    if (await install(choice.python, await this.folder(), this.output)) {
      await this.restart();
    }
    return undefined;
  }

  /** Ends the server. */
  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  private async begin(): Promise<void> {
    const choice = await this.choose();
    if (choice.kind === "none") {
      return this.fail(choice.reason);
    }
    const { python, passedOver } = choice;
    for (const each of passedOver) {
      this.output.warn(`${each} is not started: it lies in a workspace that is not trusted`);
    }
    const verdict = await this.ask(python);
    if (verdict.kind === "unusable") {
      return this.fail(verdict.reason);
    }
    if (verdict.kind === "lacking") {
      this.fail(`${python} does not have it; run "jitlint: Install into the environment"`);
      // In a workspace that is not trusted, this environment may be another than the project's.
      if (passedOver.length === 0) {
        void this.offer(python, verdict.question);
      }
      return;
    }
    this.output.info(`starts jitlint ${verdict.version} with ${python}`);
    const started = client(server(python, await this.folder()), this.output);
    started.onDidChangeState(({ newState }) => this.follow(started, newState));
    this.running = started;
    try {
      await started.start();
    } catch (error) {
      this.fail(`the server did not start: ${String(error)}`);
    }
  }

  /** Waits for the user outside of the turn, so that another restart does not wait for an answer. */
  private async offer(python: string, asked: string): Promise<void> {
    if (await agreed(this.context, python, asked)) {
      if (await install(python, await this.folder(), this.output)) {
        await this.restart();
      }
    }
  }

  private async choose(): Promise<Choice> {
    const folders = workspace.workspaceFolders ?? [];
    return choose({
      setting: workspace.getConfiguration(SECTION).get("interpreter", ""),
      chosen: await chosenInterpreter(folders[0]?.uri, this.output),
      folders: folders.map((folder) => folder.uri.fsPath),
      searchPath: process.env["PATH"] ?? "",
      home: homedir(),
      trusted: workspace.isTrusted,
      windows: process.platform === "win32",
    });
  }

  private async ask(python: string): Promise<Verdict> {
    return judge(python, await run(question(python, await this.folder()), { seconds: QUESTION_SECONDS }));
  }

  /** The extension's own folder, in which nothing of a workspace lies. */
  private async folder(): Promise<string> {
    const folder = this.context.globalStorageUri.fsPath;
    await mkdir(folder, { recursive: true });
    return folder;
  }

  private async end(): Promise<void> {
    const running = this.running;
    this.running = undefined;
    try {
      await running?.dispose();
    } catch (error) {
      this.output.warn(`the server did not end as it should: ${String(error)}`);
    }
  }

  private follow(of: LanguageClient, state: ClientState): void {
    if (of !== this.running) {
      return;
    }
    if (state === ClientState.Running) {
      this.become({ kind: "running" });
    } else if (state === ClientState.Stopped) {
      this.fail("the server ended; see the output, then run the command that restarts it");
    } else {
      this.become({ kind: "starting" });
    }
  }

  private fail(reason: string): void {
    this.output.error(`does not run: ${reason}`);
    this.become({ kind: "stopped", reason });
  }

  private become(state: State): void {
    this.current = state;
    this.changes.fire(state);
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    this.last = this.last.then(work).catch((error: unknown) => this.fail(String(error)));
    return this.last;
  }
}
