import Foundation
import TestSupport
import Testing

@Suite(.needsSlot) struct ChildProcessTests {
    @Test func `a cancelled run kills its process`() async throws {
        // Nothing is written to it, so the process ends by a signal only.
        let pipe = Pipe()
        let run = Task { try await ChildProcess.run("/bin/cat", input: pipe.fileHandleForReading) }
        run.cancel()
        #expect(try await run.value == .signalled(SIGKILL))
        withExtendedLifetime(pipe) {}
    }

    @Test func `a process that has ended is not killed`() throws {
        let child = try ChildProcess("/bin/sh", ["-c", "exit 7"])
        #expect(child.waitUntilExit() == .exited(7))
        // The identifier may be that of another process by now.
        child.kill()
    }
}
