import Foundation
public import HTTPMessages
public import JSON
public import ResponseDecoding

/// How a client makes an error of a response whose status it does not accept.
///
/// Each decoding throws a ``ServerError`` of its type of body, also when the body does not fit.
public struct ErrorDecoding: Sendable {
    private let make: @Sendable (HTTPResponse) -> any Error

    /// Creates a decoding that makes errors of any type.
    public init(_ make: @escaping @Sendable (HTTPResponse) -> any Error) { self.make = make }

    /// The error of a response.
    func error(of response: HTTPResponse) -> any Error { make(response) }

    /// ``ServerError`` of `JSONValue`, with any members: the default.
    public static let jsonValue = decoded(as: .jsonValue)

    /// ``ServerError`` of problem details (RFC 9457), whose title and detail are the error's text.
    ///
    /// The body is nil unless the media type is `application/problem+json`.
    public static let problemDetails = ErrorDecoding { response in
        let problem = Problem(response)
        let text = problem.map { [$0.title, $0.detail].compactMap(\.self).joined(separator: ": ") } ?? ""
        let summary = BodyExcerpt.text(of: Data(text.utf8), as: .plainText)
        return ServerError(problem, of: response, summary: summary)
    }

    /// ``ServerError`` of a type that the server sends as JSON.
    /// - Parameter coding: strategies for dates, names and others; not those of ``APIClient/json``.
    public static func json<Body: Decodable & Sendable>(
        _ type: Body.Type, coding: JSONCoding = .standard
    ) -> ErrorDecoding {
        decoded(as: .json(type, coding: coding))
    }

    /// ``ServerError`` of what a decoder makes of the body.
    /// - Parameter summary: what the error's text says of a body; default the start of the bytes. Without secrets.
    public static func decoded<Decoder: ResponseDecoder>(
        as decoder: Decoder, summary: @escaping @Sendable (Decoder.Output) -> String? = { _ in nil }
    ) -> ErrorDecoding {
        ErrorDecoding { response in
            do {
                let body = try decoder.decode(response)
                return ServerError(body, of: response, summary: summary(body))
            } catch {
                // An error without a body has nothing that could be decoded.
                let underlying = response.body.isEmpty ? nil : error
                return ServerError<Decoder.Output>(nil, of: response, underlying: underlying)
            }
        }
    }

    /// Uses this decoding for some statuses, and another for the rest.
    ///
    /// ```swift
    /// client.errors = .json(InvalidFields.self).for(422..<423, otherwise: .jsonValue)
    /// ```
    public func `for`(_ statuses: Range<Int>, otherwise: ErrorDecoding) -> ErrorDecoding {
        ErrorDecoding { (statuses.contains($0.status.code) ? self : otherwise).error(of: $0) }
    }
}
