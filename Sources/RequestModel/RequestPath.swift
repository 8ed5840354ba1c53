public import Foundation
public import HTTPMessages
public import PatchbayErrors

/// Path of a request relative to a base URL, in which each interpolated value is escaped as one segment.
///
/// ```swift
/// let owner = "a/b?x=1#y"
/// let path: RequestPath = "repos/\(owner)/issues?state=\(state)"
/// try path.text()  // "repos/a%2Fb%3Fx=1%23y/issues?state=open"
/// path.template    // "repos/{}/issues?state={}"
/// ```
///
/// The text of the literal is kept as written, slashes, query and escapes included. A value cannot leave its segment:
/// `/`, `?`, `#`, `%` and `;` in it are percent-encoded, and a segment that would be empty, `.` or `..` is an error. A
/// value behind the `?` is encoded as a part of the query, where these are allowed.
///
/// Interpolation cannot throw, so an invalid value is reported when the path is used. A path may be interpolated in
/// another one, which continues it.
public struct RequestPath: Hashable, Sendable {
    /// The literals with `{}` in place of each value: a low-cardinality name without values, for logs and metrics. The
    /// value of a secret name in the query of a literal is replaced (`Redaction.standard`).
    public let template: String

    private let encoded: String
    private let valueCount: Int
    private let fault: Fault?

    /// Creates a path from a string that was composed elsewhere, which is kept as written: nothing in it is escaped
    /// but characters that no URL may have. Its ``template`` is `{}`.
    public init(verbatim text: String) { self.init(text, template: "{}") }

    /// Creates a path whose values are already encoded.
    init(_ encoded: String, template: String) {
        self.encoded = encoded
        self.template = template.withoutSecretsOfQuery
        valueCount = 0
        fault = nil
    }

    /// The path with its values encoded.
    /// - Throws: `HTTPMessageError` (`invalidPathValue`), which names the value by its number.
    public func text() throws(HTTPMessageError) -> String {
        guard let fault else { return encoded }
        throw HTTPMessageError(.invalidPathValue, fault.message(in: template))
    }
}

extension RequestPath: ExpressibleByStringInterpolation {
    /// Creates a path without values.
    public init(stringLiteral text: String) { self.init(text, template: text) }

    /// Creates a path from literals and values.
    public init(stringInterpolation: StringInterpolation) {
        var parts = stringInterpolation
        parts.endSegment()
        encoded = parts.encoded
        template = parts.template.withoutSecretsOfQuery
        valueCount = parts.valueCount
        fault = parts.fault
    }
}

extension RequestPath: RedactedStringConvertible {
    /// Same as ``template``; the values may be secret.
    public var description: String { template }
}

extension RequestPath {
    /// The first invalid value of a path.
    struct Fault: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case empty
            case dotSegment
            case notFinite
            case controlCharacter
        }

        let kind: Kind
        /// The number of the value, from 1.
        var value: Int

        func message(in template: String) -> String {
            let subject = "Value \(value) of the path \(template.debugDescription)"
            return switch kind {
            case .empty: "\(subject) is empty, which leaves an empty segment; pass a value, or leave out the segment."
            case .dotSegment:
                "\(subject) makes its segment \".\" or \"..\", which names another path; pass another value."
            case .notFinite: "\(subject) is infinite or not a number; pass a finite number."
            case .controlCharacter: "\(subject) contains a line break or another control character; remove it."
            }
        }
    }

    /// Literals and values of a path in the order in which they are written.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate private(set) var encoded = ""
        fileprivate private(set) var template = ""
        fileprivate private(set) var valueCount = 0
        fileprivate private(set) var fault: Fault?
        private var segmentStart = 0
        /// The first value in the current segment.
        private var segmentValue: Int?
        private var isInPath = true

        /// Reserves memory.
        public init(literalCapacity: Int, interpolationCount: Int) {
            encoded.reserveCapacity(literalCapacity + interpolationCount * 16)
            template.reserveCapacity(literalCapacity + interpolationCount * 2)
        }
    }
}

extension RequestPath.StringInterpolation {
    /// Appends a literal as written.
    public mutating func appendLiteral(_ literal: String) {
        template += literal
        appendVerbatim(literal)
    }

    /// Appends a string or a number, encoded.
    public mutating func appendInterpolation(_ value: some LosslessStringConvertible) { append(value.description) }

    /// Appends a number, which must be finite.
    public mutating func appendInterpolation(_ value: some BinaryFloatingPoint & LosslessStringConvertible) {
        append(value.description)
        if !value.isFinite { report(.notFinite, of: valueCount) }
    }

    /// Appends the raw value of an enumeration or an identifier, encoded.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: LosslessStringConvertible { append(value.rawValue.description) }

    /// Appends a raw value's own text, encoded.
    public mutating func appendInterpolation<Value: RawRepresentable & LosslessStringConvertible>(_ value: Value)
    where Value.RawValue: LosslessStringConvertible { append(value.description) }

    /// Appends a UUID in its standard form.
    public mutating func appendInterpolation(_ value: UUID) { append(value.uuidString) }

    /// Appends a relative path such as a file's: its slashes are kept, and each segment is encoded as a value.
    public mutating func appendInterpolation(path: some StringProtocol) {
        valueCount += 1
        template += "{}"
        var rest = Substring(path)
        // By bytes: a mark that joins the slash would be dropped with its character.
        while isInPath, let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) {
            appendValue(rest[..<slash])
            appendVerbatim("/")
            rest = rest[rest.utf8.index(after: slash)...]
        }
        appendValue(rest)
    }

    /// Continues another path.
    public mutating func appendInterpolation(_ path: RequestPath) {
        if let fault = path.fault { report(fault.kind, of: valueCount + fault.value) }
        template += path.template
        appendVerbatim(path.encoded)
        valueCount += path.valueCount
    }

    private mutating func append(_ value: String) {
        valueCount += 1
        template += "{}"
        appendValue(value[...])
    }

    private mutating func appendVerbatim(_ text: String) {
        var position = encoded.utf8.count
        encoded += text
        for byte in text.utf8 {
            if isInPath, byte.endsPathSegment {
                endSegment(at: position)
                isInPath = byte == UInt8(ascii: "/")
                segmentStart = position + 1
            }
            position += 1
        }
    }

    private mutating func appendValue(_ value: Substring) {
        let unescaped: UnescapedCharacters = isInPath ? .segment : .unreserved
        encoded +=
            value.utf8.allSatisfy(unescaped.contains)
            ? value : Substring(String(value).percentEncoded(except: unescaped))
        guard isInPath else { return }
        segmentValue = segmentValue ?? valueCount
        if value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { report(.controlCharacter, of: valueCount) }
    }

    /// Checks the last segment, if it has a value.
    fileprivate mutating func endSegment() { endSegment(at: encoded.utf8.count) }

    /// Checks the segment before a position, if it has a value.
    private mutating func endSegment(at end: Int) {
        guard isInPath, let value = segmentValue else { return }
        segmentValue = nil
        let segment = encoded.utf8.prefix(end).dropFirst(segmentStart)
        if segment.isEmpty { report(.empty, of: value) } else if segment.isDotSegment { report(.dotSegment, of: value) }
    }

    private mutating func report(_ kind: RequestPath.Fault.Kind, of value: Int) {
        fault = fault ?? RequestPath.Fault(kind: kind, value: value)
    }
}

extension String {
    /// A template without the secret values that are written in its query.
    fileprivate var withoutSecretsOfQuery: String {
        guard let mark = utf8.firstIndex(of: UInt8(ascii: "?")) else { return self }
        let pairs = self[utf8.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        if pairs.allSatisfy({ $0.hasSuffix("={}") }) { return self }
        let shown = pairs.map { $0.hasSuffix("={}") ? String($0) : Redaction.standard.redacted(form: String($0)) }
        return String(self[...mark]) + shown.joined(separator: "&")
    }
}

extension Collection<UInt8> {
    /// True for `.` and `..`, also percent-encoded, and before a semicolon, where some servers end the segment.
    var isDotSegment: Bool {
        var rest = self[...]
        var dots = 0
        while let byte = rest.popFirst(), byte != UInt8(ascii: ";") {
            if byte == UInt8(ascii: "%"), rest.escapedByte == UInt8(ascii: ".") {
                rest = rest.dropFirst(2)
            } else if byte != UInt8(ascii: ".") {
                return false
            }
            dots += 1
        }
        return dots == 1 || dots == 2
    }
}

extension UInt8 {
    /// True for the characters behind a segment.
    var endsPathSegment: Bool {
        self == UInt8(ascii: "/") || self == UInt8(ascii: "?") || self == UInt8(ascii: "#")
    }
}
