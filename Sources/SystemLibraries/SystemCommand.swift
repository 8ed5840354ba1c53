#if canImport(Glibc) || canImport(Musl)
    package import Foundation

    /// Runs a command of the system.
    ///
    /// Foundation's `Process` on Linux reads out of bounds in a process with many open files.
    package enum SystemCommand {
        /// Runs a command that is found by `PATH`, without input and output, and blocks until it has exited.
        /// - Returns: its exit status; 128 and the signal if one ended it.
        /// - Throws: `POSIXError` (`ENOENT` if there is no such command).
        package static func run(_ name: String, _ arguments: [String]) throws(POSIXError) -> CInt {
            let words = ([name] + arguments).map { strdup($0) } + [nil]
            let settings = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer {
                posix_spawn_file_actions_destroy(&actions)
                for text in words + settings { free(text) }
            }
            for descriptor in 0...2 as ClosedRange<CInt> {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
            }
            var identifier: pid_t = 0
            let code = posix_spawnp(&identifier, name, &actions, nil, words, settings)
            guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
            var status: CInt = 0
            while waitpid(identifier, &status, 0) == -1 {
                // The app may ignore SIGCHLD; then the system keeps no status.
                guard errno == EINTR else { return 0 }
            }
            let signal = status & 0x7F
            return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        }
    }
#endif
