import Foundation
import TestSupport
import Testing

/// Child process running `delta-writer`, which is built with the tests.
package struct DeltaWriter {
    private static let name = "delta-writer"
    /// Whether the tests with it run.
    package static var exists: Bool { BuiltProducts.contains(name) }

    private let process: ChildProcess
    private let pipe = Pipe()

    /// - Parameters:
    ///   - mode: `changes` or `loads`: applies deltas until killed; `long`: one long load; `hold`: only opens the file;
    ///     `insert`: inserts one row into the table `jack` and closes; `migrate`: migrates the file and prints the
    ///     numbers of the steps that it ran; `small`: replaces a small file until killed.
    ///   - path: the store's file; its extension selects the store.
    ///   - rows: rows of each delta, the key of the row to insert, the number of steps, or the bytes of the file.
    ///   - place: the kind of step of the kill point.
    ///   - count: the number of that step, from 1.
    package init(_ mode: String, _ path: String, rows: Int = 0, place: String = "", count: Int = 0) throws {
        process = try ChildProcess(
            BuiltProducts.url(of: Self.name).path, [mode, path, "\(rows)", place, "\(count)"],
            output: pipe.fileHandleForWriting)
        // Close our end, so that the pipe ends when the process exits.
        try pipe.fileHandleForWriting.close()
    }

    /// Waits until the process has opened its file.
    package func waitUntilReady() throws { try wait(for: "ready") }

    /// Waits until the process has reached its kill point.
    package func waitUntilThere() throws { try wait(for: "there") }

    private func wait(for word: String) throws {
        let said = try pipe.fileHandleForReading.read(upToCount: word.utf8.count + 1)
        try #require(said == Data((word + "\n").utf8), "delta-writer exited early.")
    }

    /// Kills the process with SIGKILL; data already passed to the kernel survives.
    package func kill() {
        process.kill()
        #expect(process.waitUntilExit() == .signalled(SIGKILL), "delta-writer had already exited")
    }

    /// Waits for the process to exit, and returns its output.
    package func output() -> String {
        let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
        #expect(process.waitUntilExit() == .exited(0))
        return String(decoding: data, as: UTF8.self)
    }
}
