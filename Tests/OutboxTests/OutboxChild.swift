import Foundation
import TestSupport
import Testing

/// Child process running `outbox-sender send`, which is built with the tests.
struct OutboxChild {
    /// Whether the tests with it run.
    static var exists: Bool { BuiltProducts.contains("outbox-sender") }

    private let process: ChildProcess
    private let pipe = Pipe()

    /// Adds orders up to a number to the outbox of a file, and sends them to a server.
    init(_ path: String, _ url: URL, orders: Int) throws {
        let arguments = ["send", path, url.absoluteString.trimmingSuffix("/"), "\(orders)"]
        process = try ChildProcess(
            BuiltProducts.url(of: "outbox-sender").path, arguments, output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
    }

    func kill() {
        process.kill()
        _ = process.waitUntilExit()
    }

    /// Waits for the end of the process, on a thread of its own, and returns its output. If the task is cancelled, the
    /// process is killed.
    func output() async -> String {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread {
                    let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
                    #expect(process.waitUntilExit() == .exited(0))
                    continuation.resume(returning: String(decoding: data, as: UTF8.self))
                }.start()
            }
        } onCancel: {
            process.kill()
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
