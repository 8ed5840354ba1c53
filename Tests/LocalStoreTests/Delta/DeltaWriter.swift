import Foundation
import TestSupport
import Testing

/// The program `delta-writer`, which is built beside the tests.
struct DeltaWriter {
    private static var url: URL { BuiltProducts.folder.appending(path: "delta-writer") }
    static var exists: Bool { FileManager.default.isExecutableFile(atPath: url.path) }

    private let process: ChildProcess
    private let pipe = Pipe()

    /// - Parameters:
    ///   - mode: `changes` or `loads` until it is killed, one `long` load, `hold` to open the file only, or `insert` to
    ///     insert one row into the table `jack` and close.
    ///   - path: the store's file; its extension says which store.
    ///   - rows: how many rows each delta has, or the key of the row to insert.
    ///   - place: before which kind of step it says that it is there.
    ///   - count: before which of these steps, from 1 on.
    init(_ mode: String, _ path: String, rows: Int = 0, place: String = "", count: Int = 0) throws {
        process = try ChildProcess(
            Self.url.path, [mode, path, "\(rows)", place, "\(count)"], output: pipe.fileHandleForWriting)
        // So that its end ends the pipe.
        try pipe.fileHandleForWriting.close()
    }

    /// Waits until it has opened its file.
    func waitUntilReady() throws { try wait(for: "ready") }

    /// Waits until it is at its place.
    func waitUntilThere() throws { try wait(for: "there") }

    private func wait(for word: String) throws {
        let said = try pipe.fileHandleForReading.read(upToCount: word.utf8.count + 1)
        try #require(said == Data((word + "\n").utf8), "It ended by itself.")
    }

    /// Ends it as a lack of power would, but for what the system has taken over already.
    func kill() {
        process.kill()
        #expect(process.waitUntilExit() == .signalled(SIGKILL), "it had ended by itself")
    }

    /// Waits for its end.
    func output() -> String {
        let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
        #expect(process.waitUntilExit() == .exited(0))
        return String(decoding: data, as: UTF8.self)
    }
}
