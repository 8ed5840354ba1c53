import Foundation

/// A temporary file that is deleted with its last reference.
///
/// The file is unlinked at once unless `isNamed` is true. A named file is left behind if the process ends first. One
/// thread may write while another reads bytes written earlier.
final class SpillFile: Sendable {
    private let descriptor: Int32
    /// The file's URL, if it is named.
    let url: URL?

    /// Creates an empty file with mode 0600.
    /// - Throws: `POSIXError`.
    init(in directory: URL, isNamed: Bool = false) throws {
        let url = directory.appending(path: "patchbay-\(UUID().uuidString).body")
        let descriptor = open(url.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError.last }
        if !isNamed { unlink(url.path) }
        self.descriptor = descriptor
        self.url = isNamed ? url : nil
    }

    deinit {
        close(descriptor)
        if let url { unlink(url.path) }
    }

    /// Writes all bytes at an offset.
    /// - Throws: `POSIXError`; some of the bytes may have been written.
    func write(_ data: Data, at offset: Int64) throws {
        try data.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
                if count < 0, errno != EINTR { throw POSIXError.last }
                written += max(0, count)
            }
        }
    }

    /// Reads exactly `count` bytes at an offset.
    /// - Throws: `POSIXError`; `EIO` when the file is shorter.
    func read(_ count: Int, at offset: Int64) throws -> Data {
        guard let memory = malloc(max(1, count)) else { throw POSIXError(.ENOMEM) }
        do {
            var filled = 0
            while filled < count {
                let part = pread(descriptor, memory + filled, count - filled, off_t(offset) + off_t(filled))
                if part == 0 { throw POSIXError(.EIO) }
                if part < 0, errno != EINTR { throw POSIXError.last }
                filled += max(0, part)
            }
        } catch {
            free(memory)
            throw error
        }
        return Data(bytesNoCopy: memory, count: count, deallocator: .free)
    }
}

extension POSIXError {
    /// The current `errno` of this thread.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

extension String {
    /// The error message of a failed write to a temporary file.
    /// - Parameter subject: the content of the file, as the start of a sentence.
    static func cannotStore(_ subject: String, because error: any Error) -> String {
        let isFull = [POSIXErrorCode.ENOSPC, .EDQUOT].contains((error as? POSIXError)?.code)
        return "\(isFull ? "Disk full" : "Temporary file cannot be written"): \(subject) could not be stored. "
            + (isFull ? "Free space, or set" : "Set") + " `URLSessionTransport.Configuration.temporaryDirectory`."
    }
}
