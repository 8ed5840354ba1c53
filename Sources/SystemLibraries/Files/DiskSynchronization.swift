#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Flushing of files to the storage device.
package enum DiskSynchronization {
    /// Blocks until the data of an open file is on the device.
    /// - Returns: 0, or -1 with the reason in `errno`.
    package static func synchronize(_ file: CInt) -> CInt {
        #if canImport(Darwin)
            // On Darwin `fsync` does not flush the cache of the drive (fsync(2)). Not all file systems support
            // F_FULLFSYNC.
            if fcntl(file, F_FULLFSYNC) == 0 { return 0 }
        #endif
        return fsync(file)
    }
}
