#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Waits until the disk has all of an open file.
package enum DiskSynchronization {
    /// - Returns: 0, or -1 with the reason in `errno`.
    package static func wait(for file: CInt) -> CInt {
        #if canImport(Darwin)
            // There `fsync` leaves it to the drive when to write (fsync(2)); not every file system can do more.
            if fcntl(file, F_FULLFSYNC) == 0 { return 0 }
        #endif
        return fsync(file)
    }
}
