import HTTPMessages
import ResponseDecoding

/// The format in which a handler receives a body.
enum BodyFormat: Sendable {
    case raw
    case text
    case json
}

/// The result of a call, with the body decoded in the handler's format.
struct CallOutcome: Sendable {
    let result: Result<AKHTTPResponse, AKError>
    let text: String?
    let json: JSONValue?

    init(_ result: Result<AKHTTPResponse, AKError>, format: BodyFormat) {
        let response =
            switch result {
            case .success(let response): response as AKHTTPResponse?
            case .failure(let error): error.response
            }
        switch (format, result, response) {
        case (.text, _, let response?):
            self.init(result: result, text: response.text, json: nil)
        case (.json, .success, let response?):
            do throws(AKError) {
                self.init(result: result, text: nil, json: try JSONBody.value(of: response))
            } catch {
                self.init(result: .failure(error), text: nil, json: nil)
            }
        case (.json, .failure, let response?):
            self.init(result: result, text: nil, json: try? JSONBody.value(of: response))
        default:
            self.init(result: result, text: nil, json: nil)
        }
    }

    private init(result: Result<AKHTTPResponse, AKError>, text: String?, json: JSONValue?) {
        self.result = result
        self.text = text
        self.json = json
    }
}

/// Decoding of JSON bodies by Akula's rule.
enum JSONBody {
    /// Decodes an object or array; nil if the body is empty or whitespace.
    static func value(of response: AKHTTPResponse) throws(AKError) -> JSONValue? {
        guard response.data.contains(where: { !$0.isJSONWhitespace }) else { return nil }
        let value = try response.decode(.jsonValue)
        guard value.object != nil || value.array != nil else {
            throw AKError(
                .parse, "The response body is JSON, but not an object or array; use another decoder.",
                response: response)
        }
        return value
    }
}

/// Decoding of text bodies, which never fails.
enum TextBody {
    static func text(of response: HTTPResponse) -> String {
        (try? TextResponseDecoder(invalidBytes: .replace).decode(response))
            ?? String(decoding: response.body, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isJSONWhitespace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
