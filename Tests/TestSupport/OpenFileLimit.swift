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

    private static let limitOfFiles = cInt(RLIMIT_NOFILE)
}

// The type of the constant differs between platforms; these overloads convert all of them.
private func cInt(_ value: Int32) -> CInt { value }
private func cInt(_ value: some RawRepresentable<UInt32>) -> CInt { CInt(bitPattern: value.rawValue) }
