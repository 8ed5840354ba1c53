public import HTTPMessages
public import RequestModel

extension RoutedTransport {
    /// A method, a URI template, and the response.
    ///
    /// The template is a path such as `/orders/{id}`, or a URL with its origin; a path is compared on all origins.
    /// Without a query in the template the query of a request does not matter; `/orders{?page,size}` admits these
    /// parameters, and `/orders?page=2` demands one.
    public struct Route: Sendable, CustomStringConvertible {
        /// The method.
        public let method: HTTPMethod
        /// The template of the URLs.
        public let template: URITemplate
        /// The number of calls that it expects.
        public let times: Times
        let respond: @Sendable (Call) async throws -> HTTPResponse

        /// Creates a route with a closure; an error it throws is the error of `send`.
        /// - Throws: `URITemplateError` (`invalidTemplate`).
        public init(
            _ method: HTTPMethod, _ template: String, times: Times = .atLeastOnce,
            _ respond: @escaping @Sendable (Call) async throws -> HTTPResponse
        ) throws(URITemplateError) {
            self.method = method
            self.template = try URITemplate(template)
            self.times = times
            self.respond = respond
        }

        /// Creates a route with a step of a script: a response, a failure, or one after a gate or a delay.
        /// - Throws: `URITemplateError` (`invalidTemplate`).
        public init(
            _ method: HTTPMethod, _ template: String, times: Times = .atLeastOnce, _ step: ScriptedTransport.Step
        ) throws(URITemplateError) {
            try self.init(method, template, times: times) { try await step.handler($0.request) }
        }

        /// The method and the template.
        public var description: String { "\(method) \(template)" }

        /// A route for `GET`.
        public static func get(
            _ template: String, times: Times = .atLeastOnce, _ step: ScriptedTransport.Step
        ) throws(URITemplateError) -> Route { try Route(.get, template, times: times, step) }

        /// A route for `GET` with a closure.
        public static func get(
            _ template: String, times: Times = .atLeastOnce,
            _ respond: @escaping @Sendable (Call) async throws -> HTTPResponse
        ) throws(URITemplateError) -> Route { try Route(.get, template, times: times, respond) }

        /// A route for `POST`.
        public static func post(
            _ template: String, times: Times = .atLeastOnce, _ step: ScriptedTransport.Step
        ) throws(URITemplateError) -> Route { try Route(.post, template, times: times, step) }

        /// A route for `POST` with a closure.
        public static func post(
            _ template: String, times: Times = .atLeastOnce,
            _ respond: @escaping @Sendable (Call) async throws -> HTTPResponse
        ) throws(URITemplateError) -> Route { try Route(.post, template, times: times, respond) }

        /// A route for `PUT`.
        public static func put(
            _ template: String, times: Times = .atLeastOnce, _ step: ScriptedTransport.Step
        ) throws(URITemplateError) -> Route { try Route(.put, template, times: times, step) }

        /// A route for `PATCH`.
        public static func patch(
            _ template: String, times: Times = .atLeastOnce, _ step: ScriptedTransport.Step
        ) throws(URITemplateError) -> Route { try Route(.patch, template, times: times, step) }

        /// A route for `PATCH` with a closure.
        public static func patch(
            _ template: String, times: Times = .atLeastOnce,
            _ respond: @escaping @Sendable (Call) async throws -> HTTPResponse
        ) throws(URITemplateError) -> Route { try Route(.patch, template, times: times, respond) }

        /// A route for `DELETE`.
        public static func delete(
            _ template: String, times: Times = .atLeastOnce, _ step: ScriptedTransport.Step
        ) throws(URITemplateError) -> Route { try Route(.delete, template, times: times, step) }

        /// A route for `HEAD`.
        public static func head(
            _ template: String, times: Times = .atLeastOnce, _ step: ScriptedTransport.Step
        ) throws(URITemplateError) -> Route { try Route(.head, template, times: times, step) }

        /// A route for `HEAD` with a closure.
        public static func head(
            _ template: String, times: Times = .atLeastOnce,
            _ respond: @escaping @Sendable (Call) async throws -> HTTPResponse
        ) throws(URITemplateError) -> Route { try Route(.head, template, times: times, respond) }

        /// A route for `QUERY`.
        public static func query(
            _ template: String, times: Times = .atLeastOnce, _ step: ScriptedTransport.Step
        ) throws(URITemplateError) -> Route { try Route(.query, template, times: times, step) }

        /// A route for `QUERY` with a closure.
        public static func query(
            _ template: String, times: Times = .atLeastOnce,
            _ respond: @escaping @Sendable (Call) async throws -> HTTPResponse
        ) throws(URITemplateError) -> Route { try Route(.query, template, times: times, respond) }
    }

    /// The number of calls that a route expects. Further ones are unexpected.
    public struct Times: Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
        let range: ClosedRange<Int>

        /// One call or more.
        public static let atLeastOnce = Times(range: 1...(.max))
        /// Any number of calls, none too.
        public static let any = Times(range: 0...(.max))
        /// A number of calls within a range.
        public static func within(_ range: ClosedRange<Int>) -> Times {
            Times(range: max(0, range.lowerBound)...max(0, range.upperBound))
        }

        private init(range: ClosedRange<Int>) { self.range = range }

        /// Exactly this number of calls.
        public init(integerLiteral count: Int) { range = max(0, count)...max(0, count) }

        /// The range in words.
        public var description: String {
            switch (range.lowerBound, range.upperBound) {
            case (0, .max): "any number of calls"
            case (let least, .max): "at least \(least)"
            case (let least, let most): least == most ? "\(least)" : "\(least) to \(most)"
            }
        }
    }
}
