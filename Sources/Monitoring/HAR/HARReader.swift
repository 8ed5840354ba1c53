public import Foundation
import JSON
import SystemLibraries

/// Reads the entries of an HTTP archive (HAR 1.1 to 1.3) one by one, in bounded memory.
///
/// ```swift
/// var reader = try HARReader(file)
/// while let entry = try reader.next() { print(entry.request.url) }
/// ```
///
/// Archives of browsers are read with their custom fields, which are dropped but for `_attempts` and `_error`. An error
/// names the entry and the line.
public struct HARReader: Sendable {
    private static let chunkSize = 64 << 10
    private static let path = ["log", "entries"]

    private var parser: JSONElementReader<HAREntry>
    private let source: Source
    private let maximumEntryBytes: Int
    private var position: Int64 = 0
    private var entry = 0
    private var isAtEnd = false

    private enum Source: Sendable {
        case file(SystemFile, size: Int64)
        case bytes(Data)
    }

    /// Opens an archive.
    /// - Parameter maximumEntryBytes: maximum bytes of an entry with its bodies; default 64 MiB.
    /// - Throws: ``HARError`` (`unreadableFile`, `unsupportedVersion`).
    public init(_ file: URL, maximumEntryBytes: Int = 64 << 20) throws(HARError) {
        let opened: SystemFile
        do throws(POSIXError) {
            opened = try SystemFile(file.path, for: .reading)
        } catch {
            throw .unreadable(error)
        }
        guard let status = opened.status else { throw .unreadable(POSIXError(.EIO)) }
        try self.init(.file(opened, size: status.size), maximumEntryBytes)
    }

    /// Reads an archive in memory.
    /// - Parameter maximumEntryBytes: maximum bytes of an entry with its bodies; default 64 MiB.
    /// - Throws: ``HARError`` (`unsupportedVersion`).
    public init(data: Data, maximumEntryBytes: Int = 64 << 20) throws(HARError) {
        try self.init(.bytes(data), maximumEntryBytes)
    }

    private init(_ source: Source, _ maximumEntryBytes: Int) throws(HARError) {
        self.source = source
        self.maximumEntryBytes = max(0, maximumEntryBytes)
        parser = JSONElementReader(
            HAREntry.self, path: Self.path, coding: .standard, maximumLength: self.maximumEntryBytes)
        let start = try chunk()
        if let version = HARVersion.find(in: start), !["", "1.1", "1.2", "1.3"].contains(version) {
            throw HARError(
                .unsupportedVersion, "The archive has a version that is not 1.1, 1.2 or 1.3; export it as HAR 1.2.",
                line: 1)
        }
        feed(start)
    }

    /// Reads all entries of an archive.
    /// - Throws: the errors of ``init(_:maximumEntryBytes:)`` and ``next()``.
    public static func entries(of file: URL) throws(HARError) -> [HAREntry] {
        var reader = try HARReader(file)
        var entries: [HAREntry] = []
        while let entry = try reader.next() { entries.append(entry) }
        return entries
    }

    /// Returns the next entry; nil at the end.
    ///
    /// After `invalidEntry`, `invalidBase64` and `unsupportedEncoding` the next call returns the next entry; after
    /// other errors nil.
    /// - Throws: ``HARError`` (`unreadableFile`, `malformed`, `invalidEntry`, `entryTooLong`, `invalidBase64`,
    ///   `unsupportedEncoding`).
    public mutating func next() throws(HARError) -> HAREntry? {
        while true {
            do {
                if let next = try parser.next() {
                    entry += 1
                    return next
                }
            } catch {
                throw failure(error)
            }
            if isAtEnd { return nil }
            feed(try chunk())
        }
    }

    private mutating func feed(_ chunk: Data) {
        if chunk.isEmpty {
            parser.finish()
            isAtEnd = true
        } else {
            parser.push(chunk)
        }
    }

    private mutating func chunk() throws(HARError) -> Data {
        switch source {
        case .bytes(let data):
            let chunk = data.dropFirst(Int(position)).prefix(Self.chunkSize)
            position += Int64(chunk.count)
            return Data(chunk)
        case .file(let file, let size):
            let count = Int(min(Int64(Self.chunkSize), size - position))
            do throws(POSIXError) {
                let chunk = try file.read(count, at: position)
                position += Int64(count)
                return chunk
            } catch {
                isAtEnd = true
                throw .unreadable(error)
            }
        }
    }

    private mutating func failure(_ failure: JSONElementReader<HAREntry>.Failure) -> HARError {
        switch failure {
        case .syntax(let error):
            isAtEnd = true
            return HARError(
                .malformed, "The archive is damaged or incomplete: \(error.message)", entry: entry,
                line: error.location?.line, underlying: error)
        case .noArray(_, let isMissing, let location):
            isAtEnd = true
            return HARError(
                .malformed, "The archive has no array `log.entries`\(isMissing ? "" : ", but another value there").",
                line: location.line)
        case .tooLong(let location):
            isAtEnd = true
            return HARError(
                .entryTooLong, "The entry exceeds \(maximumEntryBytes) bytes; raise `maximumEntryBytes`.", entry: entry,
                line: location.line)
        case .element(let error, _, let location):
            defer { entry += 1 }
            if let cause = error.decodingContext?.underlyingError as? HARError {
                return HARError(cause.code, cause.message, entry: entry, line: location.line)
            }
            return HARError(
                .invalidEntry, "The entry does not match HAR 1.2: \(error.decodingProblem).", entry: entry,
                line: location.line)
        }
    }
}

extension HARError {
    fileprivate static func unreadable(_ error: any Error) -> HARError {
        HARError(.unreadableFile, "The archive cannot be read; check the path and its permissions.", underlying: error)
    }
}

extension Error {
    fileprivate var decodingContext: DecodingError.Context? {
        switch self as? DecodingError {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        default: nil
        }
    }

    /// What is wrong with which member, without its value.
    fileprivate var decodingProblem: String {
        var path = decodingContext?.codingPath.map(\.stringValue) ?? []
        // The first three lead to the entry.
        if path.starts(with: ["log", "entries"]) { path.removeFirst(Swift.min(3, path.count)) }
        var problem = "is not valid"
        switch self as? DecodingError {
        case .keyNotFound(let key, _):
            path.append(key.stringValue)
            problem = "is missing"
        case .valueNotFound: problem = "is null"
        case .typeMismatch(let type, _): problem = "is not of type \(type)"
        default: break
        }
        return "`\(path.joined(separator: "."))` \(problem)"
    }
}

/// The version of an archive, which is before its entries in all known files.
private enum HARVersion {
    /// The version in the start of an archive; nil if it is not there.
    static func find(in start: Data) -> String? {
        let bytes = Array(start)
        var (depth, index) = (0, 0)
        var name: String?
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let begin = index + 1
                index = begin
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                guard index < bytes.count else { return nil }
                let text = String(decoding: bytes[begin..<index], as: UTF8.self)
                if depth == 2, name == "version" { return text }
                name = depth == 2 ? text : nil
                if name == "entries" { return nil }
            case UInt8(ascii: ","): name = nil
            default: break
            }
            index += 1
        }
        return nil
    }
}
