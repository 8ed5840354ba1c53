import Authentication
import Coordination
import Delegation
import Foundation
import HTTPMessages
import Synchronization
import Transport

extension CallRunner {
    /// The number of bytes posted to a delegate before it must catch up.
    private static var deliveryWindow: Int { 4 << 20 }

    /// Receives the body of the final response.
    func receiveBody() async throws -> CallState.Action {
        guard let exchange else { return call.bodyEnded() }
        let head = exchange.head
        var verification = try session.authentication.verification(of: head, to: exchange.message)
        if let cache, cache.isRevalidated(by: head) {
            // A 304 has no body.
            try verification?.finish()
            verification = nil
            try await keepCredentials()
            if let response = cache.confirmed(by: head) {
                try finishFromCache(response)
                return call.bodyEnded()
            }
            // The app has set no condition.
            revalidates = false
            return call.restarted()
        }
        let continuation = Continuation(head, offset: download?.offset ?? 0, record: download?.record)
        if continuation == .mismatch {
            await discard(exchange.response)
            download?.forget()
            return call.restarted()
        }
        try await receive(exchange, continuation, verification)
        try await keepCredentials()
        request.completed(head, of: exchange.message)
        request.reportUpload(callbacks) { $0.finish() }
        request.reportDownload(callbacks) { $0.finish() }
        return call.bodyEnded()
    }

    /// Keeps the body in the file and in the cache, once it is complete and verified.
    private func receive(
        _ exchange: Exchange, _ continuation: Continuation, _ verification: ResponseVerification?
    ) async throws {
        let file = continuation == .unrelated ? nil : download
        let start = continuation == .appends ? file?.offset ?? 0 : 0
        // The proof is of the whole body, so a part of it cannot be continued.
        let user = request.userName(of: exchange.message)
        let record =
            verification == nil ? DownloadRecord(describing: exchange.head, of: exchange.message, as: user) : nil
        var isOpen = false
        func open() throws {
            if !isOpen { try file?.open(at: start, record) }
            isOpen = true
        }
        if start > 0 { try open() }
        let length = exchange.message.method == .head ? 0 : exchange.head.declaredLength
        request.update { results in
            results.partialDownloadSize = start
            if file == nil { results.body = Data() }
        }
        request.reportDownload(callbacks) { $0.head(length, resumed: start) }
        var keepsForCache = file == nil && cache?.accepts(exchange.head) ?? false
        var cached = Data()
        do {
            for try await chunk in exchange.response.body {
                verification?.update(chunk)
                // A delegate may receive a body of any size.
                if keepsForCache, cached.count + chunk.count > session.configuration.maximumResponseBytes {
                    (keepsForCache, cached) = (false, Data())
                }
                if keepsForCache { cached.append(chunk) }
                try open()
                try file?.append(chunk)
                try await take(chunk, isInFile: file != nil, length: length)
            }
            try verification?.finish()
            // An empty file is written too.
            if exchange.isContent { try open() }
        } catch {
            // Bytes without their proof must not be continued.
            if verification == nil { file?.abandon() } else { file?.delete() }
            throw error
        }
        // Without a body, the file at the destination stays: a 304 confirms it, a 404 has nothing for it.
        if isOpen, let file {
            try file.commit()
            request.update { $0.isInFile = true }
        }
        if keepsForCache { cache?.store(HTTPResponse(head: exchange.head, body: cached)) }
    }

    private func take(_ chunk: Data, isInFile: Bool, length: Int64?) async throws {
        let (limit, now) = (request.maximumResponseBytes, session.clock.now)
        let received = request.state.withLock { $0.receive(chunk, isInFile: isInFile, limit: limit, at: now) }
        if received.isTooLarge {
            throw SDMError(
                .connectionFailure,
                "Response body exceeds the limit of \(limit) bytes; set `downloadDestinationPath`, or raise "
                    + "`SDMSession.Configuration.maximumResponseBytes`.",
                underlying: TransportError.responseTooLarge(
                    limit: limit, request: exchange?.message, head: exchange?.head))
        }
        request.progressFeed.transfer(didEmit: .receivedBytes(received.total, total: length))
        request.deliver(received.report, callbacks)
        guard received.delegate?.object != nil else { return }
        callbacks.post { [request] in request.deliver(chunk) }
        undelivered += chunk.count
        guard undelivered >= Self.deliveryWindow else { return }
        try await callbacks.wait()
        undelivered = 0
    }
}
