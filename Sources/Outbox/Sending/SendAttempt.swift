import Foundation
import HTTPMessages
import Queueing
import StoreCore
import Transport

/// One attempt to send an entry, from its row to its outcome.
struct SendAttempt: Sendable {
    let outcome: SendOutcome
    /// True if the origin has responded, false if it has not; nil if that is not known.
    let isResponding: Bool?
    /// True if the layers of the transport have signed out the user before it was sent.
    let isSignedOut: Bool
    private let backoff: @Sendable (_ attempts: Int) -> Duration

    /// Sends an entry.
    /// - Parameter random: the jitter of the backoff, from 0 up to but not including 1.
    init(
        _ row: EntryRow, over transport: any Transport, in store: any LocalStore, _ options: OutboxOptions,
        _ date: Date, _ random: Double
    ) async {
        // It was claimed ahead, and its time has come since: the next claim fails it.
        if let expires = row.expires, expires <= date.milliseconds {
            self.init(SendOutcome(id: row.id, result: .unsent, wait: .zero))
            return
        }
        var request: HTTPRequest
        do {
            request = try row.request.request(
                idempotencyKey: row.sentKey, files: options.files,
                maximumResponseBytes: options.maximumResponseBytes)
            // After a conflict the app's own is that of a row which the server does not have any more.
            if let tag = row.entityTag, request.fields[.ifMatch] == nil || row.resolutions > 0 {
                try request.fields.set(.ifMatch, to: tag)
            }
        } catch {
            let isDamaged = error is StoredRequest.Damage
            let failure = OutboxFailure(
                isDamaged ? .damaged : .unreadableBody,
                isDamaged ? "Stored request is damaged; discard the entry." : "\(error)")
            self.init(
                SendOutcome(
                    id: row.id, result: .error(failure, .failed, isUnsent: true), wait: .zero))
            return
        }
        let call = request.options.beginCall()
        let result: Result<HTTPResponse, any Error>
        var (isTruncated, hasLostAttempt) = (false, false)
        do {
            let response = try await transport.send(request)
            hasLostAttempt = response.attempts.contains(where: \.isOutcomeUnknown)
            result = .success(response.ofWrite)
        } catch let error as TransportError where error.code == .responseTooLarge {
            // The server has done its work: only the body is longer than what is kept.
            isTruncated = true
            // The last one is that of the response.
            hasLostAttempt = error.attempts.dropLast().contains(where: \.isOutcomeUnknown)
            result = error.response(to: request).map { .success($0.ofWrite) } ?? .failure(error)
        } catch {
            result = .failure(error)
        }
        // An error of that kind that the transport throws by itself has a verdict, as any other.
        if case .failure(let error) = result, error.isCancellation, Task.isCancelled {
            self.init(SendOutcome(id: row.id, result: .interrupted, wait: .zero))
            return
        }
        let attempted = Self.attempted(request, result, date)
        let backoff: @Sendable (Int) -> Duration = { attempts in
            options.backoff.duration(after: attempted(attempts), random: random)
        }
        // Without a further request that call was not sent, or only challenged: it is no attempt. It has no verdict,
        // since the user may sign in again.
        if case .failure(let error as any RecurringError) = result, error.isRecurring {
            let result: SendOutcome.Result = call.hasFurtherRequests ? .interrupted : .unsent
            self.init(SendOutcome(id: row.id, result: result, wait: .zero), isSignedOut: true, backoff)
            return
        }
        var row = row
        if hasLostAttempt { row.noteLostAttempt() }
        let verdict = options.verdict(OutboxAttempt(row.entry, result))
        let asked: Duration? = if case .again(let wait) = verdict { wait } else { nil }
        switch result {
        case .success(let response):
            if let conflicts = options.conflicts, verdict == .failed, !row.edits.isEmpty,
                response.status == .conflict || response.status == .preconditionFailed
            {
                let resolver = ConflictResolver(conflicts: conflicts, options: options, store: store)
                let wait = backoff(Int(row.attempts))
                do {
                    let outcome =
                        if let resolved = try await resolver.resolve(row, request, response, over: transport) {
                            // Not at once a second time: the server may refuse any request.
                            SendOutcome(
                                id: row.id, result: .resolved(resolved, response),
                                wait: row.attempts > 1 ? wait : .zero, hasLostAttempt: hasLostAttempt)
                        } else {
                            SendOutcome(
                                id: row.id, result: .response(response, .again(), isTruncated: false), wait: wait,
                                hasLostAttempt: hasLostAttempt)
                        }
                    self.init(outcome, isResponding: true, backoff)
                    return
                } catch {
                    // The app's error leaves the refusal, and a sign-out leaves the question. The refused request has
                    // had no effect.
                    if Task.isCancelled {
                        self.init(
                            SendOutcome(id: row.id, result: .unsent, wait: .zero, hasLostAttempt: hasLostAttempt),
                            isResponding: true, backoff)
                        return
                    }
                }
            }
            self.init(
                SendOutcome(
                    id: row.id, result: .response(response, verdict, isTruncated: isTruncated),
                    wait: asked ?? backoff(Int(row.attempts)), hasLostAttempt: hasLostAttempt),
                isResponding: true, backoff)
        case .failure(let error):
            let failure = OutboxFailure(.noResponse, (error as? any PatchbayError)?.description ?? "\(type(of: error))")
            let isUnsent = attempted(1).isKnownUnprocessed
            self.init(
                // The origin is held instead, with all entries for it.
                SendOutcome(id: row.id, result: .error(failure, verdict, isUnsent: isUnsent), wait: asked ?? .zero),
                isResponding: verdict == .failed || verdict == .done ? nil : false, backoff)
        }
    }

    private init(
        _ outcome: SendOutcome, isResponding: Bool? = nil, isSignedOut: Bool = false,
        _ backoff: @escaping @Sendable (Int) -> Duration = { _ in .zero }
    ) {
        (self.outcome, self.isResponding, self.backoff) = (outcome, isResponding, backoff)
        self.isSignedOut = isSignedOut
    }

    /// The time for which the origin, or the user, is held.
    /// - Parameter failures: the number of earlier attempts without a response.
    func hold(after failures: Int) -> Duration {
        isResponding == false || isSignedOut ? backoff(failures + 1) : .zero
    }

    /// The attempt as the backoff takes it. Errors of other types count as a lost connection.
    private static func attempted(
        _ request: HTTPRequest, _ result: Result<HTTPResponse, any Error>, _ date: Date
    ) -> @Sendable (Int) -> AttemptResult {
        let outcome: AttemptResult.Outcome =
            switch result {
            case .success(let response): .response(response.head)
            case .failure(let error as TransportError): .failure(error)
            case .failure(let error as AdmissionError): .rejection(error)
            case .failure: .failure(TransportError(.connectionLost, "No response.", request: request))
            }
        return { number in
            let earlier = TransportError.AttemptRecord(.notSent(""), backoff: nil)
            return AttemptResult(
                request, outcome: outcome,
                previousAttempts: Array(repeating: earlier, count: min(max(0, number - 1), 62)),
                date: date)
        }
    }
}

extension HTTPResponse {
    /// The response to the request itself: a redirect that has made it a `GET`, or else this one.
    ///
    /// Of such redirects only 303 says that the server has done its work (RFC 9110, section 15.4.4). A failure of its
    /// target counts after other redirects only, such as one to a page about maintenance.
    fileprivate var ofWrite: HTTPResponse {
        let heads = head.redirects + [head]
        for (index, (redirect, next)) in zip(heads, heads.dropFirst()).enumerated()
        where redirect.method != .get && next.method == .get {
            let isDone = redirect.status == .seeOther
            if isDone ? status.isSuccessful : OutboxVerdict.isTransient(status) { return self }
            var head = redirect
            head.redirects = Array(heads[..<index])
            return HTTPResponse(head: head)
        }
        return self
    }
}

extension TransportError {
    /// The response to a request, if its body is longer than what is kept; nil for that to another request, such as
    /// one for a token.
    ///
    /// A layer below may have moved the request to another host, or added a credential to the query.
    fileprivate func response(to request: HTTPRequest) -> HTTPResponse? {
        guard let head else { return nil }
        let first = (head.redirects.first ?? head).url
        let hasPath = first.path(percentEncoded: false) == request.url.path(percentEncoded: false)
        let isAtOrigin = originalRequest != nil || Origin(first) == request.origin
        guard originalRequest == .described(request.description) || (hasPath && isAtOrigin) else { return nil }
        return HTTPResponse(head: head, body: bodyPrefix)
    }
}
