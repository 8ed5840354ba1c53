public import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// A program in a process of its own, which inherits none of this process's files.
///
/// Foundation's `Process` looks through the list of open files before it starts a program, and on Linux reads past its
/// memory where that list is long, as it is while many tests run at once.
public final class ChildProcess: Sendable {
    /// How a process ended.
    public enum Ending: Hashable, Sendable {
        /// By itself, with this status.
        case exited(Int32)
        /// By a signal.
        case signalled(Int32)
    }

    /// The process.
    public let identifier: pid_t

    /// Starts a program.
    /// - Parameters:
    ///   - path: the program's file.
    ///   - environment: nil means that of this process.
    ///   - input, output: open files; nil means that there is nothing to read, and that what is written goes nowhere.
    public init(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: FileHandle? = nil,
        output: FileHandle? = nil
    ) throws {
        let nowhere = try FileHandle(forUpdating: URL(filePath: "/dev/null"))
        let environment = environment ?? ProcessInfo.processInfo.environment
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var identifier: pid_t = 0
        let code = Self.spawn(
            &identifier, path, words, settings,
            files: [input ?? nowhere, output ?? nowhere, nowhere].map(\.fileDescriptor))
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        self.identifier = identifier
    }

    /// Ends it at once, as `kill -9` does.
    public func kill() { _ = Foundation.kill(identifier, SIGKILL) }

    /// Blocks until it has ended; to be called once.
    public func waitUntilExit() -> Ending {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    /// Runs a program to its end, on a thread that nobody else needs.
    public static func run(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: FileHandle? = nil,
        output: FileHandle? = nil
    ) async throws -> Ending {
        let child = try ChildProcess(path, arguments, environment: environment, input: input, output: output)
        return await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: child.waitUntilExit()) }.start()
        }
    }

    /// - Parameter files: what becomes of the files 0, 1 and 2.
    private static func spawn(
        _ identifier: inout pid_t, _ path: String, _ words: [UnsafeMutablePointer<CChar>?],
        _ settings: [UnsafeMutablePointer<CChar>?], files: [Int32]
    ) -> Int32 {
        #if canImport(Darwin)
            var actions: Darwin.posix_spawn_file_actions_t?
            var attributes: Darwin.posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, file) in files.enumerated() { posix_spawn_file_actions_adddup2(&actions, file, Int32(number)) }
        #if canImport(Darwin)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
        #else
            // Since glibc 2.34, but not among the declarations that Swift sees.
            typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
            if let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
                _ = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, 3)
            }
        #endif
        return posix_spawn(&identifier, path, &actions, &attributes, words, settings)
    }
}
