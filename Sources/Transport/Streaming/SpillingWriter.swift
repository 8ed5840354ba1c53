import Coordination
import Foundation

/// Writes chunks to a pipe, and beyond the pipe's limit into a temporary file.
///
/// For a network that cannot be held back.
struct SpillingWriter: Sendable {
    let pipe: ResponseBodyPipe
    /// The folder of the file, which is created when it is needed.
    let directory: URL

    /// Appends a chunk; call it from one thread at a time.
    /// - Throws: `POSIXError` when the file cannot be written.
    func write(_ chunk: Data) throws {
        guard case .spill(let known, let offset) = pipe.update({ $0.write(chunk) }) else { return }
        do {
            let file = try known ?? ScratchFile(in: directory)
            try file.write(chunk, at: offset)
            pipe.update { $0.spilled(chunk.count, to: file) }
        } catch {
            pipe.update { $0.spilled(0, to: nil) }
            throw error
        }
    }
}
