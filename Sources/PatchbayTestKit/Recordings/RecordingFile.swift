import Coordination
import Foundation
import HTTPMessages
import Transport

/// The JSON form of a recording.
enum RecordingFile {
    private struct Head: Codable { var version: Int? }
    private struct Document: Encodable {
        var version = 1
        var exchanges: [RecordedExchange]
    }

    private static let coding = JSONCoding { $0.format = [.pretty] }

    static func data(of recording: Recording) throws -> Data {
        var data = try coding.encode(Document(exchanges: recording.exchanges.map { RecordedExchange($0) }))
        data.append(UInt8(ascii: "\n"))
        return data
    }

    static func checkedData(of recording: Recording) throws(RecordingError) -> Data {
        do {
            return try data(of: recording)
        } catch {
            throw RecordingError(.unwritableFile, "The recording cannot be written as JSON.", underlying: error)
        }
    }

    static func recording(_ data: Data) throws(RecordingError) -> Recording {
        if let version = (try? JSONCoding.standard.decode(Head.self, from: data))?.version, version != 1 {
            throw RecordingError(
                .unsupportedVersion, "The recording has version \(version), and only 1 is read; record it again.",
                line: 1)
        }
        var reader = JSONElementReader(
            RecordedExchange.self, path: ["exchanges"], coding: .standard, maximumLength: .max)
        reader.push(data)
        reader.finish()
        var recording = Recording()
        do {
            while let exchange = try reader.next() { recording.exchanges.append(exchange.exchange) }
        } catch {
            throw RecordingError(error, exchange: recording.exchanges.count)
        }
        return recording
    }

    /// - Returns: nil if there is no file.
    static func content(of file: URL) throws(RecordingError) -> Data? {
        do throws(POSIXError) {
            return try SmallFile(file).read()
        } catch {
            throw RecordingError(
                .unreadableFile, "The recording cannot be read; check the path and its permissions.", underlying: error)
        }
    }

    /// Replaces the file if its content is still `old`.
    /// - Returns: whether it was replaced.
    static func replace(_ file: URL, by data: Data, if isUnchanged: (Data?) -> Bool) throws(RecordingError) -> Bool {
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            // For all, as other files of version control: the secrets were removed.
            return try SmallFile(file, mode: 0o644).replace(with: data, if: isUnchanged)
        } catch {
            throw RecordingError(
                .unwritableFile, "The recording cannot be written; check its folder and the disk.", underlying: error)
        }
    }
}

extension RecordingError {
    fileprivate init(_ failure: JSONElementReader<RecordedExchange>.Failure, exchange: Int) {
        switch failure {
        case .syntax(let error):
            self.init(
                .malformed, "The file is damaged: \(error.message)", exchange: exchange, line: error.location?.line,
                underlying: error)
        case .noArray(_, _, let location):
            self.init(.malformed, "The file has no array `exchanges`.", line: location.line)
        case .tooLong(let location):
            self.init(.malformed, "The exchange is too long.", exchange: exchange, line: location.line)
        case .element(let error, _, let location):
            var problem = "it does not have the members of a recording"
            if case .dataCorrupted(let context)? = error as? DecodingError,
                context.underlyingError is RecordedExchange.Fault
            {
                problem = context.debugDescription
            }
            self.init(
                .malformed, "The exchange is not valid: \(problem).", exchange: exchange, line: location.line,
                underlying: error)
        }
    }
}
