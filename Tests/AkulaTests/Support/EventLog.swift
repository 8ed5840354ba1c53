import Akula
import Dispatch
import Foundation
import Synchronization

/// A thread-safe log of callbacks, in order.
final class EventLog: Sendable {
    private let log = Mutex<[String]>([])

    var events: [String] { log.withLock(\.self) }
    func add(_ event: String) { log.withLock { $0.append(event) } }
}

/// A delegate that logs its callbacks.
final class LoggingDelegate: AKHTTPResponseDelegate, Sendable {
    let log: EventLog
    init(_ log: EventLog) { self.log = log }

    func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) { log.add("success \(statusCode)") }
    func responseDidFail(_ error: AKError, response: AKHTTPResponse?) {
        log.add("failure \(error.code) \(response.map { "\($0.statusCode)" } ?? "-")")
    }
    func responseDone() { log.add("done") }
}

/// The provided handlers, logging their callbacks.
enum Handlers {
    static func raw(_ log: EventLog) -> AKRawHTTPResponseHandler {
        let handler = AKRawHTTPResponseHandler()
        handler.onSuccess = { log.add("success \($0.statusCode)") }
        handler.onFailure = { log.add("failure \($0.code) \($1.map { "\($0.statusCode)" } ?? "-")") }
        handler.onDone = { log.add("done") }
        return handler
    }

    static func text(_ log: EventLog) -> AKTextHTTPResponseHandler {
        let handler = AKTextHTTPResponseHandler()
        handler.onSuccess = { log.add("success \($1) \($0)") }
        handler.onFailure = { log.add("failure \($0.code) \($0.statusCode.map(String.init) ?? "-") \($1 ?? "nil")") }
        handler.onDone = { log.add("done") }
        return handler
    }

    static func json(_ log: EventLog) -> AKJSONHTTPResponseHandler {
        let handler = AKJSONHTTPResponseHandler()
        handler.onObject = { log.add("object \($1) \($0.map(text) ?? "nil")") }
        handler.onArray = { log.add("array \($1) \(text($0))") }
        handler.onFailure = {
            log.add("failure \($0.code) \($0.statusCode.map(String.init) ?? "-") \($1.map(text) ?? "nil")")
        }
        handler.onDone = { log.add("done") }
        return handler
    }

    private static func text(_ object: Any) -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: options) else { return "?" }
        return String(decoding: data, as: UTF8.self)
    }
}

extension DispatchQueue {
    /// Waits until all work now on the queue has run.
    func drain() async {
        await withCheckedContinuation { done in self.async { done.resume() } }
    }
}
