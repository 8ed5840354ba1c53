import HTTPMessages
import ResponseDecoding

/// How a handler wants a body read.
enum BodyForm: Sendable {
    case raw
    case text
    case json
}

/// How a call ended, with the body read as its handler wants it.
struct CallOutcome: Sendable {
    let result: Result<AKHTTPResponse, AKError>
    let text: String?
    let json: JSONValue?

    init(_ result: Result<AKHTTPResponse, AKError>, form: BodyForm) {
        let response =
            switch result {
            case .success(let response): response as AKHTTPResponse?
            case .failure(let error): error.response
            }
        switch (form, result, response) {
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

/// Akula's rule for JSON bodies.
enum JSONBody {
    /// An object or an array; nil when there is nothing but blanks.
    static func value(of response: AKHTTPResponse) throws(AKError) -> JSONValue? {
        guard response.data.contains(where: { !$0.isJSONBlank }) else { return nil }
        let value = try response.decode(.jsonValue)
        guard value.object != nil || value.array != nil else {
            throw AKError(.parse, "The body is JSON, but neither an object nor an array.", response: response)
        }
        return value
    }
}

/// Text that is never refused.
enum TextBody {
    static func text(of response: HTTPResponse) -> String {
        (try? TextResponseDecoder(invalidBytes: .replaced).decode(response))
            ?? String(decoding: response.body, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isJSONBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
