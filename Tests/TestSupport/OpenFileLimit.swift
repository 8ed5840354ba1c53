import Foundation

/// The limit of open files of this process.
enum OpenFileLimit {
    /// Enough for tests with sockets. macOS allows 256 by default and at most this number (getrlimit(2)).
    static let target: rlim_t = 10_240

    /// Raises the soft limit to ``target``, unless it is higher.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(limitOfFiles, &limit) == 0, limit.rlim_cur < target else { return }
        limit.rlim_cur = min(target, limit.rlim_max)
        _ = setrlimit(limitOfFiles, &limit)
    }

    // The types of the constant and of its parameter differ between platforms.
    #if canImport(Glibc)
        private static let limitOfFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let limitOfFiles = RLIMIT_NOFILE
    #endif
}
