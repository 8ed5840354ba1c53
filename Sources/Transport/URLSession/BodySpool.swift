import Foundation
import HTTPMessages

/// The bytes of a stream in a temporary file without a name, from which they can be sent without waiting.
///
/// URLSession reads a request body on the queue that all sessions share, so a read must never wait for a producer.
struct BodySpool: Sendable {
    /// The reason why a body could not be collected.
    enum Failure: Error {
        /// Its bytes could not be read, or are not as many as it stated.
        case body(any Error)
        /// The temporary file could not be created or written.
        case disk(any Error)
    }

    /// The body, which can be sent again. The file's space is free when the last copy is gone.
    let body: HTTPBody

    /// Collects a body's bytes.
    /// - Parameter directory: the folder on whose disk the file is.
    init(_ source: HTTPBody, in directory: URL = FileManager.default.temporaryDirectory) async throws(Failure) {
        let file: SpillFile
        do { file = try SpillFile(in: directory) } catch { throw .disk(error) }
        var count: Int64 = 0
        do {
            for try await chunk in source.chunks() {
                try Task.checkCancellation()
                do { try file.write(chunk, at: count) } catch { throw Failure.disk(error) }
                count += Int64(chunk.count)
            }
            guard source.length == nil || source.length == count else {
                throw HTTPMessageError(
                    .bodyLengthMismatch, "The stream has \(count) bytes and stated \(source.length ?? 0).")
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .body(error)
        }
        body = .generated(length: count) { [count] in SpillReader(file, count: count) }
    }
}

/// Reads a file without a name from its start.
private final class SpillReader: HTTPBodyReader {
    private let file: SpillFile
    private let count: Int64
    private var offset: Int64 = 0

    init(_ file: SpillFile, count: Int64) {
        self.file = file
        self.count = count
    }

    func read(atMost limit: Int) throws -> Data? {
        guard offset < count else { return nil }
        let data = try file.read(Int(min(Int64(max(1, limit)), count - offset)), at: offset)
        offset += Int64(data.count)
        return data
    }
}
