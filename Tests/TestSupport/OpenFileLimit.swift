import Foundation

/// How many files this process may have open.
enum OpenFileLimit {
    /// As many as tests with sockets need: macOS allows 256 by default (getrlimit(2)), and what is allowed on request
    /// there is no more than this.
    static let wanted: rlim_t = 10_240

    /// Asks for as many as are wanted, unless more are allowed already.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(limitOfFiles, &limit) == 0, limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        _ = setrlimit(limitOfFiles, &limit)
    }

    // The constant has another type on each platform; so has the parameter that takes it.
    #if canImport(Glibc)
        private static let limitOfFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let limitOfFiles = RLIMIT_NOFILE
    #endif
}
