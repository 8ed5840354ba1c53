import Foundation

/// A temporary file, for bytes that wait: it and its space are gone with the last reference.
///
/// It has a name only if asked for; a file with a name stays behind when the process ends before the last reference.
/// One thread may write while another reads what was written before.
final class SpillFile: Sendable {
    private let descriptor: Int32
    /// Where the file is, if it has a name.
    let url: URL?

    /// An empty file, for its owner only.
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

    /// Writes all of the bytes, from this place on.
    /// - Throws: `POSIXError`; some of the bytes may be in the file then.
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

    /// So many bytes from this place on.
    /// - Throws: `POSIXError`, also when there are not so many.
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
    /// Why the last system call on this thread failed.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

extension String {
    /// The message of a failure to write a temporary file.
    /// - Parameter subject: what was to be written, as the start of a sentence.
    static func cannotStore(_ subject: String, because error: any Error) -> String {
        let isFull = [POSIXErrorCode.ENOSPC, .EDQUOT].contains((error as? POSIXError)?.code)
        return "\(isFull ? "Disk full" : "Temporary file cannot be written"): \(subject) could not be stored. "
            + (isFull ? "Free space, or set" : "Set") + " `URLSessionTransport.Configuration.temporaryDirectory`."
    }
}
