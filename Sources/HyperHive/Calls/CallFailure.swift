import DeltaSync
import Foundation
import HTTPMessages
import ResponseDecoding
import StoreCore
import Transport

/// Response with a status other than 2xx.
struct UnexpectedStatus: Error {
    let response: HTTPResponse
}

/// Classification of an error, for ``HyperHiveError`` and the envelope.
struct CallFailure {
    let code: HyperHiveError.Code
    /// The entry of `errors`; nil for a cancelled call, which has none.
    let entry: HyperHiveResult.Failure?
    /// The text of the server that the description is; nil for another description.
    private(set) var quote: Quote?

    /// A text of the server. The call's secrets are removed from it before it is shortened: a part of one is not found.
    enum Quote {
        /// A member of a JSON body, such as `message`, which the envelope has as it is.
        case member
        /// The start of a body of another form.
        case body(Data, MediaType?)
    }

    private init(_ code: HyperHiveError.Code, _ source: HyperHiveResult.Source, _ number: Int, _ description: String) {
        self.code = code
        entry = .init(source, number, description)
    }

    private init() {
        code = .cancelled
        entry = nil
    }

    init(_ error: any Error) {
        switch error {
        case is CancellationError: self.init()
        case let error as UnexpectedStatus: self.init(error.response)
        case NotModified.current:
            self.init(.status, .server, HTTPStatus.notModified.code, "Not modified: the stored rows are current.")
        case NotModified.unconditional:
            self.init(
                .status, .server, HTTPStatus.notModified.code,
                "Not modified, but the request had no validator (If-None-Match) of stored rows; check the server and its "
                    + "proxies.")
        case let error as TransportError: self.init(error)
        case let error as DeltaError: self.init(error)
        case let error as StoreError: self.init(error)
        case let error as ResourceError:
            switch error.code {
            case .invalidSchema: self.init(.malformedResponse, .curl, CurlCode.receive, error.message)
            case .invalidParameters, .digest: self.init(.invalidArgument, .curl, CurlCode.other, error.message)
            }
        case let error as JSONError: self.init(.malformedResponse, .curl, CurlCode.receive, error.message)
        case let error as HTTPMessageError: self.init(.invalidArgument, .curl, CurlCode.other, error.message)
        // An error of the app's layers or of its wire.
        case let error as any ValueFreeError: self.init(.transport, .curl, CurlCode.other, error.message)
        default: self.init(.transport, .curl, CurlCode.other, "The call failed; see the underlying error.")
        }
    }

    private init(_ response: HTTPResponse) {
        if let location = response.fields[.location], response.status.kind == .redirection,
            response.status != .notModified
        {
            self.init(
                .status, .server, response.status.code,
                "Redirect with status \(response.status.code) to \(Redaction.standard.redacted(location, of: .location)) "
                    + "was not followed: only a GET may change its method or its server. "
                    + "If the target is right, configure its host.")
            return
        }
        let body = try? JSONValue(parsing: response.jsonBody)
        let text = ["description", "detail", "message"].lazy.compactMap { body?[$0]?.string }.first { !$0.isEmpty }
        self.init(
            response.status == .unauthorized ? .unauthorized : .status, .server, response.status.code,
            text ?? response.excerpt ?? Self.description(ofStatus: response.status.code))
        quote = text == nil ? .body(response.body, response.mediaType) : .member
    }

    /// The description of a response without a text.
    static func description(ofStatus code: Int) -> String {
        HTTPStatus(code).flatMap { $0.reasonPhrase.isEmpty ? nil : $0.reasonPhrase } ?? "Status \(code)"
    }

    private init(_ error: TransportError) {
        if error.code == .cancelled {
            self.init()
        } else {
            self.init(.transport, .curl, CurlCode.number(of: error), error.message)
        }
    }

    private init(_ error: DeltaError) {
        switch error.code {
        case .cancelled: self.init()
        case .rowTooLarge:
            self.init(
                .malformedResponse, .curl, CurlCode.receive,
                "\(error.message) It is `HyperHiveOptions.maximumRowBytes`.")
        case .busy: self.init(.busy, .sqlite, SQLiteCode.busy, error.message)
        case .store: self.init(error.underlying as? StoreError ?? StoreError(.failed, error.message))
        case .source:
            switch error.underlying {
            case let cause as TransportError: self.init(cause)
            case is CancellationError: self.init()
            // The temporary file of a delta.
            case is POSIXError: self.init(.database, .sqlite, SQLiteCode.io, error.message)
            default: self.init(.transport, .curl, CurlCode.receive, error.message)
            }
        default: self.init(.malformedResponse, .curl, CurlCode.receive, error.message)
        }
    }

    private init(_ error: StoreError) { self.init(.database, .sqlite, SQLiteCode.number(of: error), error.message) }
}

extension RetryRules.Outcome {
    /// - Parameters:
    ///   - hasResponse: true when a part of a response was received.
    ///   - isRepeatable: true when the server does not run the request twice.
    ///   - isRead: true for a call that may run twice.
    init(_ error: any Error, hasResponse: Bool, isRepeatable: Bool, isRead: Bool) {
        switch error {
        case let error as UnexpectedStatus:
            self = .status(error.response.status.code, isRepeatable: isRepeatable || isRead)
        case let error as TransportError where error.isNetworkFailure:
            let hasBytes = [.malformedResponse, .truncated, .undecodableContent].contains(error.code)
            self = .failure(hasResponse: hasResponse || hasBytes || error.head != nil, isRepeatable: isRepeatable)
        case let error as DeltaError where error.code == .source:
            self =
                error.underlying.map { Self($0, hasResponse: true, isRepeatable: isRepeatable, isRead: isRead) }
                ?? .other
        default: self = .other
        }
    }
}

extension TransportError {
    /// True for a failure of the network, which another attempt may not meet.
    fileprivate var isNetworkFailure: Bool {
        ![
            .cancelled, .reservedField, .unreadableBody, .responseTooLarge, .temporaryStorage, .tooManyRedirects,
            .redirectRefused, .unsupported,
        ].contains(code)
    }
}
