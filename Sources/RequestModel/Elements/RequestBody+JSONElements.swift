import Foundation
public import HTTPMessages

extension RequestBody {
    /// Newline-delimited JSON: one value per line, written as the engine takes it.
    ///
    /// ```swift
    /// data.body = .ndjson(records)
    /// ```
    /// - Parameters:
    ///   - values: iterated again for each attempt. If that is not possible, pass an asynchronous sequence.
    ///   - coding: strategies for dates, names and others; never pretty-printed.
    public static func ndjson<Values: Sequence & Sendable>(
        _ values: Values, coding: JSONCoding = .standard
    ) -> RequestBody where Values.Element: Encodable & SendableMetatype {
        RequestBody(ElementWriter.lines(coding).body(of: values), mediaType: .ndjson)
    }

    /// Newline-delimited JSON of values as they are made. The body can be sent only once.
    ///
    /// The next value is asked for when the engine has taken the one before it. `URLSessionTransport` collects all of
    /// them in a temporary file before it sends the first.
    /// - Parameters:
    ///   - values: a value that cannot be encoded fails the request with `HTTPMessageError` (`invalidJSON`).
    ///   - coding: strategies for dates, names and others; never pretty-printed.
    public static func ndjson<Values: AsyncSequence & Sendable>(
        _ values: Values, coding: JSONCoding = .standard
    ) -> RequestBody where Values.Element: Encodable & SendableMetatype {
        RequestBody(ElementWriter.lines(coding).body(of: values), mediaType: .ndjson)
    }

    /// A JSON text sequence (RFC 7464), written as the engine takes it.
    /// - Parameters:
    ///   - values: iterated again for each attempt. If that is not possible, pass an asynchronous sequence.
    ///   - coding: strategies for dates, names and others.
    public static func jsonSequence<Values: Sequence & Sendable>(
        _ values: Values, coding: JSONCoding = .standard
    ) -> RequestBody where Values.Element: Encodable & SendableMetatype {
        RequestBody(ElementWriter.texts(coding).body(of: values), mediaType: .jsonSequence)
    }

    /// A JSON text sequence (RFC 7464) of values as they are made. The body can be sent only once.
    ///
    /// The next value is asked for when the engine has taken the one before it. `URLSessionTransport` collects all of
    /// them in a temporary file before it sends the first.
    /// - Parameters:
    ///   - values: a value that cannot be encoded fails the request with `HTTPMessageError` (`invalidJSON`).
    ///   - coding: strategies for dates, names and others.
    public static func jsonSequence<Values: AsyncSequence & Sendable>(
        _ values: Values, coding: JSONCoding = .standard
    ) -> RequestBody where Values.Element: Encodable & SendableMetatype {
        RequestBody(ElementWriter.texts(coding).body(of: values), mediaType: .jsonSequence)
    }
}

extension ElementWriter where Element: Encodable & SendableMetatype {
    /// Each element on a line of its own.
    fileprivate static func lines(_ coding: JSONCoding) -> ElementWriter {
        var coding = coding
        coding.format.remove(.pretty)
        return texts(coding, prefix: [])
    }

    /// Each element between a record separator and a line feed.
    fileprivate static func texts(_ coding: JSONCoding, prefix: [UInt8] = [0x1E]) -> ElementWriter {
        ElementWriter {
            { (element, output) throws(HTTPMessageError) in
                output.append(contentsOf: prefix)
                output.append(try RequestBody.jsonData(of: element) { try coding.encode(element) })
                output.append(0x0A)
            }
        }
    }
}
