public import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#endif

/// A child process that inherits no file descriptors of this process.
///
/// Foundation's `Process` on Linux reads out of bounds while it scans a long list of open files, which parallel tests
/// have.
public final class ChildProcess: Sendable {
    /// How a process ended.
    public enum Ending: Hashable, Sendable {
        /// Exited with this status.
        case exited(Int32)
        /// Terminated by this signal.
        case signalled(Int32)
    }

    /// The process identifier.
    public let identifier: pid_t
    /// From then on, the system may give the identifier to another process.
    private let isReaped = Mutex(false)

    /// Starts an executable.
    /// - Parameters:
    ///   - path: the executable.
    ///   - environment: nil inherits this process's environment.
    ///   - input, output: standard input and output; nil means `/dev/null`.
    public init(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: FileHandle? = nil,
        output: FileHandle? = nil
    ) throws {
        let devNull = try FileHandle(forUpdating: URL(filePath: "/dev/null"))
        let environment = environment ?? ProcessInfo.processInfo.environment
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var identifier: pid_t = 0
        let code = Self.spawn(
            &identifier, path, words, settings,
            files: [input ?? devNull, output ?? devNull, devNull].map(\.fileDescriptor))
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        self.identifier = identifier
    }

    /// Sends SIGKILL, unless the process has ended.
    public func kill() {
        isReaped.withLock { isReaped in
            if !isReaped { _ = Foundation.kill(identifier, SIGKILL) }
        }
    }

    /// Blocks until the process has ended. Call it once.
    public func waitUntilExit() -> Ending {
        var info = siginfo_t()
        // Without reaping it, so that the lock is not held meanwhile.
        while waitid(P_PID, id_t(identifier), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        let status = isReaped.withLock { isReaped in
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
            isReaped = true
            return status
        }
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    /// Runs an executable to its end, waiting on a new thread. If the task is cancelled, the process is killed.
    public static func run(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: FileHandle? = nil,
        output: FileHandle? = nil
    ) async throws -> Ending {
        let child = try ChildProcess(path, arguments, environment: environment, input: input, output: output)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread { continuation.resume(returning: child.waitUntilExit()) }.start()
            }
        } onCancel: {
            child.kill()
        }
    }

    /// - Parameter files: the descriptors for 0, 1 and 2.
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
            // In glibc since 2.34, but not imported into Swift.
            typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
            if let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
                _ = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, 3)
            }
        #endif
        return posix_spawn(&identifier, path, &actions, &attributes, words, settings)
    }
}
