import HTTPMessages

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
                self.init(result: result, text: nil, json: try response.json())
            } catch {
                self.init(result: .failure(error), text: nil, json: nil)
            }
        case (.json, .failure, let response?):
            self.init(result: result, text: nil, json: try? response.json())
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
