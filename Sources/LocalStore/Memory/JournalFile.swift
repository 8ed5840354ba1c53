import Foundation

/// A file that grows at its end, with the errors of a store.
struct JournalFile {
    private let handle: FileHandle

    /// Opens a file, or makes an empty one.
    init(path: String) throws(StoreError) {
        do {
            if !FileManager.default.fileExists(atPath: path) {
                try Data().write(to: URL(filePath: path), options: .withoutOverwriting)
            }
            handle = try FileHandle(forUpdating: URL(filePath: path))
            try handle.seekToEnd()
        } catch {
            throw Self.failure(error, "opened")
        }
    }

    func append(_ bytes: [UInt8]) throws(StoreError) {
        do { try handle.write(contentsOf: bytes) } catch { throw Self.failure(error, "written") }
    }

    /// Cuts the file and goes on writing there.
    func truncate(to size: Int) throws(StoreError) {
        do { try handle.truncate(atOffset: UInt64(size)) } catch { throw Self.failure(error, "cut") }
    }

    /// Waits until the disk has all of the file.
    func synchronize() throws(StoreError) {
        do { try handle.synchronize() } catch { throw Self.failure(error, "synchronized") }
    }

    func close() throws(StoreError) {
        do { try handle.close() } catch { throw Self.failure(error, "closed") }
    }

    static func content(of path: String) throws(StoreError) -> Data {
        do { return try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe) } catch {
            throw failure(error, "read")
        }
    }

    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Gives a file the name of another one, which is gone then, in one step.
    static func rename(_ path: String, to other: String) throws(StoreError) {
        guard Foundation.rename(path, other) == 0 else { throw failure(POSIXError.last, "renamed") }
    }

    /// Waits until the disk knows the names in the folder of a file.
    static func synchronizeFolder(of path: String) throws(StoreError) {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY)
        guard descriptor >= 0 else { throw failure(POSIXError.last, "found in its folder") }
        defer { _ = Foundation.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(POSIXError.last, "named") }
    }

    static func failure(_ error: any Error, _ action: String) -> StoreError {
        let cause = error as NSError
        let underlying = (cause.userInfo[NSUnderlyingErrorKey] as? NSError) ?? cause
        let isFull =
            underlying.domain == NSPOSIXErrorDomain && underlying.code == Int(ENOSPC)
            || cause.domain == NSCocoaErrorDomain && cause.code == CocoaError.fileWriteOutOfSpace.rawValue
        return StoreError(
            isFull ? .full : .io,
            "The journal cannot be \(action) (\(underlying.domain) \(underlying.code)).")
    }
}

extension POSIXError {
    /// What the last call to the system failed with.
    fileprivate static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
