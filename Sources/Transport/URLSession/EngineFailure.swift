import Foundation
import HTTPMessages
import SystemLibraries

extension Transfer {
    /// Fails the transfer with the engine's error, classified.
    func failed(_ error: any Error, engine: EngineKind = .current) {
        let failure = EngineFailure(
            error, engine: engine, origin: request.origin, isBodyIncomplete: hasIncompleteBody)
        failed(failure.code, failure.message, tlsFailure: failure.tlsFailure, underlying: failure.underlying)
    }
}

/// A classified error of URLSession.
struct EngineFailure {
    let code: TransportError.Code
    let message: String
    let tlsFailure: TransportError.TLSFailure?
    /// The engine's error without its URL, whose query may hold secrets, and without the task.
    let underlying: any Error

    /// - Parameters:
    ///   - engine: the library that made the error.
    ///   - origin: the origin of the request.
    ///   - isBodyIncomplete: true between the response head and the end of its body.
    ///   - environment: the environment variables, which may set a proxy.
    ///   - lacksDescriptors: whether the process can open no socket now.
    init(
        _ original: any Error, engine: EngineKind = .current, origin: Origin, isBodyIncomplete: Bool = false,
        environment: @autoclosure () -> [String: String] = ProcessInfo.processInfo.environment,
        lacksDescriptors: @autoclosure () -> Bool = DescriptorLimit.isReached
    ) {
        let error = EngineError(original)
        let meaning =
            switch engine {
            case .libcurl:
                LibcurlRules.meaning(
                    of: error, origin: origin, environment: environment(), lacksDescriptors: lacksDescriptors())
            case .cfNetwork:
                CFNetworkRules.meaning(of: error, origin: origin, isBodyIncomplete: isBodyIncomplete)
            }
        underlying = error.redacted
        code = meaning?.code ?? .unknown
        tlsFailure = meaning?.tlsFailure
        message = meaning?.message(origin) ?? Self.unknown(error, engine)
    }

    private static func unknown(_ error: EngineError, _ engine: EngineKind) -> String {
        switch engine {
        case .libcurl: "Engine failure: \(error.text)."
        // The text is localized and rarely specific, so the domain and code come first.
        case .cfNetwork: "Engine failure: \(error.domain) \(error.code) (\(error.text))."
        }
    }
}

extension EngineFailure {
    /// A known kind of failure, without the server's address.
    struct Meaning: Sendable {
        let code: TransportError.Code
        let tlsFailure: TransportError.TLSFailure?
        /// The start of the message, before the address.
        private let problem: String
        /// The address of the failed proxy.
        private let proxy: String?
        /// The remedy, as a sentence.
        var advice: String?
        /// Details from the engine's text.
        var detail: String?
        /// True when the connection closed, which truncates an incomplete body.
        let endsConnection: Bool

        static let lackOfDescriptors = Meaning(
            .unknown, "Out of file descriptors", advice: "Close some, or raise the limit of the process (ulimit -n).")

        init(
            _ code: TransportError.Code, _ problem: String, _ tlsFailure: TransportError.TLSFailure? = nil,
            proxy: String? = nil, advice: String? = nil, detail: String? = nil, endsConnection: Bool = false
        ) {
            self.code = code
            self.problem = problem
            self.tlsFailure = tlsFailure
            self.proxy = proxy
            self.advice = advice
            self.detail = detail
            self.endsConnection = endsConnection
        }

        func message(_ origin: Origin) -> String {
            let place = code == .hostNotFound ? origin.host : origin.address
            return "\(problem): " + (proxy.map { "proxy \($0) for " } ?? "") + place
                + (detail.map { " (\($0))" } ?? "") + "." + (advice.map { " " + $0 } ?? "")
        }
    }
}
