public import HTTPMessages
import JSON
public import RequestModel

extension EndpointBody {
    /// Newline-delimited JSON, one value per line, written as the engine takes it.
    ///
    /// The values are written as ``APIClient/json`` says, or by the standard settings if it uses Foundation's coders.
    /// - Parameter values: iterated again for each attempt. If that is not possible, pass an asynchronous sequence.
    public static func ndjson<Values: Sequence & Sendable>(_ values: Values) -> EndpointBody
    where Values.Element: Encodable & SendableMetatype {
        EndpointBody("NDJSON") { .ndjson(values, coding: $0) }
    }

    /// Newline-delimited JSON of values as they are made. The body can be sent only once.
    ///
    /// The values are written as ``APIClient/json`` says, or by the standard settings if it uses Foundation's coders.
    public static func ndjson<Values: AsyncSequence & Sendable>(_ values: Values) -> EndpointBody
    where Values.Element: Encodable & SendableMetatype {
        EndpointBody("NDJSON") { .ndjson(values, coding: $0) }
    }

    /// A JSON text sequence (RFC 7464), written as the engine takes it.
    ///
    /// The values are written as ``APIClient/json`` says, or by the standard settings if it uses Foundation's coders.
    /// - Parameter values: iterated again for each attempt. If that is not possible, pass an asynchronous sequence.
    public static func jsonSequence<Values: Sequence & Sendable>(_ values: Values) -> EndpointBody
    where Values.Element: Encodable & SendableMetatype {
        EndpointBody("JSON text sequence") { .jsonSequence(values, coding: $0) }
    }

    /// A JSON text sequence (RFC 7464) of values as they are made. The body can be sent only once.
    ///
    /// The values are written as ``APIClient/json`` says, or by the standard settings if it uses Foundation's coders.
    public static func jsonSequence<Values: AsyncSequence & Sendable>(_ values: Values) -> EndpointBody
    where Values.Element: Encodable & SendableMetatype {
        EndpointBody("JSON text sequence") { .jsonSequence(values, coding: $0) }
    }

    /// A table as comma-separated values (RFC 4180), written as the engine takes it; the parameters are those of
    /// `RequestBody`.
    /// - Parameter rows: iterated again for each attempt. If that is not possible, pass an asynchronous sequence.
    public static func csv<Rows: Sequence & Sendable>(
        header: [String] = [], rows: Rows, format: CSVFormat = .standard,
        cells: @escaping @Sendable (Rows.Element) -> [String?]
    ) -> EndpointBody {
        EndpointBody(.csv(header: header, rows: rows, format: format, cells: cells))
    }

    /// A table of rows as they are made, such as those of a store; the parameters are those of `RequestBody`. The body
    /// can be sent only once.
    public static func csv<Rows: AsyncSequence & Sendable>(
        header: [String] = [], rows: Rows, format: CSVFormat = .standard,
        cells: @escaping @Sendable (Rows.Element) -> [String?]
    ) -> EndpointBody {
        EndpointBody(.csv(header: header, rows: rows, format: format, cells: cells))
    }

    /// The properties of a value as an HTML form sends them (`application/x-www-form-urlencoded`).
    /// - Parameter style: the forms of arrays, objects, names, dates and nil.
    /// - Throws: `HTTPMessageError` (`invalidQueryValue`).
    public static func form(
        encoding value: some Encodable, style: QueryStyle = .standard
    ) throws(HTTPMessageError) -> EndpointBody {
        EndpointBody(try Form(encoding: value, style: style).body)
    }
}
