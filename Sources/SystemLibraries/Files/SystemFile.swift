package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// An open file, which is closed with its last reference.
package final class SystemFile: Sendable {
    package enum Access: Sendable {
        case reading
        /// Also for writing; the last component of the path must not be a symbolic link.
        case writing
        /// As `writing`; creates the file if it does not exist.
        case creating
        /// As `creating`; fails with `EEXIST` if the file exists.
        case creatingNew
    }

    private let descriptor: CInt

    /// Opens a file; child processes do not inherit it.
    /// - Parameter mode: the permissions of a new file, less those of the process's umask.
    /// - Throws: `POSIXError`.
    package init(_ path: String, for access: Access, mode: UInt16 = 0o600) throws(POSIXError) {
        let flags =
            switch access {
            case .reading: O_RDONLY
            case .writing: O_RDWR | O_NOFOLLOW
            case .creating: O_RDWR | O_NOFOLLOW | O_CREAT
            case .creatingNew: O_RDWR | O_NOFOLLOW | O_CREAT | O_EXCL
            }
        descriptor = open(path, flags | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else { throw .last }
    }

    deinit { close(descriptor) }

    /// The metadata; nil after an error.
    package var status: FileStatus? { FileStatus(of: descriptor) }

    /// Writes all bytes at the current position, and moves it behind them.
    /// - Throws: `POSIXError`; some of the bytes may have been written.
    package func append(_ data: Data) throws(POSIXError) {
        try write(data) { bytes, _ in systemWrite(descriptor, bytes.baseAddress, bytes.count) }
    }

    /// Writes all bytes at an offset.
    /// - Throws: `POSIXError`; some of the bytes may have been written.
    package func write(_ data: Data, at offset: Int64) throws(POSIXError) {
        try write(data) { bytes, written in
            pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset) + off_t(written))
        }
    }

    private func write(_ data: Data, part: (UnsafeRawBufferPointer, Int) -> Int) throws(POSIXError) {
        let failure = data.withUnsafeBytes { bytes -> POSIXError? in
            var written = 0
            while written < bytes.count {
                let count = part(UnsafeRawBufferPointer(rebasing: bytes[written...]), written)
                if count < 0, errno != EINTR { return .last }
                written += max(0, count)
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Reads exactly `count` bytes at an offset.
    /// - Throws: `POSIXError`; `EIO` when the file is shorter.
    package func read(_ count: Int, at offset: Int64) throws(POSIXError) -> Data {
        guard let memory = malloc(max(1, count)) else { throw POSIXError(.ENOMEM) }
        var filled = 0
        while filled < count {
            let part = pread(descriptor, memory + filled, count - filled, off_t(offset) + off_t(filled))
            if part == 0 || (part < 0 && errno != EINTR) {
                let error = part == 0 ? POSIXError(.EIO) : .last
                free(memory)
                throw error
            }
            filled += max(0, part)
        }
        return Data(bytesNoCopy: memory, count: count, deallocator: .free)
    }

    /// Sets the size, and moves the current position to the end.
    /// - Throws: `POSIXError`.
    package func truncate(to size: Int64) throws(POSIXError) {
        guard ftruncate(descriptor, off_t(size)) == 0, lseek(descriptor, off_t(size), SEEK_SET) == off_t(size) else {
            throw .last
        }
    }

    /// Locks the file against other locks, also of this process (flock(2)).
    /// - Returns: false when it is locked already.
    /// - Throws: `POSIXError`, such as on a file system that has no locks.
    package func lock() throws(POSIXError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            if errno != EINTR { throw .last }
        }
        return true
    }

    /// Locks the file, and waits until no other lock is held. Without effect on a file system that has no locks.
    package func waitForLock() { while flock(descriptor, LOCK_EX) != 0, errno == EINTR {} }

    /// Releases the lock. Closing alone may leave it to a child process that is just being spawned.
    package func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Sets the permissions, where the file system has any.
    package func setMode(_ mode: UInt16) { _ = fchmod(descriptor, mode_t(mode)) }

    /// Blocks until the data is on the device; see ``DiskSynchronization``.
    /// - Throws: `POSIXError`.
    package func synchronize() throws(POSIXError) {
        guard DiskSynchronization.synchronize(descriptor) == 0 else { throw .last }
    }

    /// Deletes a file's name, if it exists. Errors are ignored; ``remove(_:)`` throws them.
    package static func delete(_ path: String) { _ = unlink(path) }

    /// Deletes a file's name, if it exists; never a folder.
    /// - Throws: `POSIXError`.
    package static func remove(_ path: String) throws(POSIXError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .last }
    }

    /// Renames a file, replacing another one of that name.
    /// - Throws: `POSIXError`.
    package static func move(_ path: String, to newPath: String) throws(POSIXError) {
        guard rename(path, newPath) == 0 else { throw .last }
    }
}

extension POSIXError {
    /// The current `errno` of this thread.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

// Outside of the class, where the C function is not shadowed.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
