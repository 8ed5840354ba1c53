import Foundation
import TestSupport
import Testing

/// Runs `outbox-sender network` in a network namespace of its own, with commands of a shell beside it.
enum NetworkNamespace {
    /// True on Linux, where an unprivileged process may make one with a pair of links, and with the executable.
    static let isAvailable =
        BuiltProducts.contains("outbox-sender")
        && (1...3).contains { _ in succeeds("ip link add patch0 type veth peer name patch1") }

    private static func succeeds(_ command: String) -> Bool {
        (try? ChildProcess("/usr/bin/env", ["unshare", "-Urn", "sh", "-c", command]).waitUntilExit()) == .exited(0)
    }

    /// Runs a command of the shell after each state of the network, and returns the states.
    static func run(_ commands: [String]) async throws -> [String] {
        let (input, output) = (Pipe(), Pipe())
        let executable = BuiltProducts.url(of: "outbox-sender").path
        let child = try ChildProcess(
            "/usr/bin/env", ["unshare", "-Urn", "sh", "-c", "'\(executable)' network & watch=$!; sh; kill $watch"],
            input: input.fileHandleForReading, output: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        try input.fileHandleForReading.close()
        var states: [String] = []
        for command in commands {
            states.append(try #require(try line(from: output.fileHandleForReading)))
            try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
        }
        states.append(try #require(try line(from: output.fileHandleForReading)))
        // The end of the commands.
        try input.fileHandleForWriting.close()
        #expect(child.waitUntilExit() == .exited(0))
        return states
    }

    private static func line(from handle: FileHandle) throws -> String? {
        var bytes = Data()
        while let byte = try handle.read(upToCount: 1), byte != Data("\n".utf8) {
            if byte.isEmpty { break }
            bytes += byte
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
