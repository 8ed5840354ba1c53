#if canImport(Darwin)
    import Foundation
    import HTTPMessages
    import Synchronization

    /// The background session of Apple's platforms.
    ///
    /// A task has the identity of its transfer as its description, which the system keeps. Redirects are followed
    /// without asking the delegate
    /// (https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:task:willperformhttpredirection:newrequest:completionhandler:)).
    final class BackgroundURLSession: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, BackgroundSession {
        private let session = Mutex<URLSession?>(nil)
        private let challenges: ChallengePolicy
        private let network: URLSessionTransport.NetworkOptions
        private let receive: @Sendable (BackgroundSessionEvent) -> Void
        /// Why the certificates of a server were refused; the session only reports a cancellation.
        private let refusals = Mutex<[UUID: TransportError]>([:])

        /// Makes the session of a name later, once its records are open.
        static func maker(
            of name: String, _ network: URLSessionTransport.NetworkOptions
        ) throws(TransportError) -> BackgroundTransferEngine.MakeSession {
            try network.validate(for: .current)
            let challenges = try ChallengePolicy(network)
            return { queue, receive in
                let delegate = BackgroundURLSession(challenges, network, receive)
                let operations = OperationQueue()
                operations.underlyingQueue = queue
                operations.maxConcurrentOperationCount = 1
                let session = URLSession(
                    configuration: .patchbay(inBackground: name, options: network), delegate: delegate,
                    delegateQueue: operations)
                delegate.session.withLock { $0 = session }
                return delegate
            }
        }

        private init(
            _ challenges: ChallengePolicy, _ network: URLSessionTransport.NetworkOptions,
            _ receive: @escaping @Sendable (BackgroundSessionEvent) -> Void
        ) {
            (self.challenges, self.network, self.receive) = (challenges, network, receive)
        }

        // MARK: BackgroundSession

        func start(_ id: UUID, _ request: HTTPRequest, uploading source: URL?) {
            guard let session = session.withLock({ $0 }) else { return }
            var converted = URLRequest(inBackground: request)
            network.apply(to: &converted, of: request)
            let task: URLSessionTask =
                if let source { session.uploadTask(with: converted, fromFile: source) } else {
                    session.downloadTask(with: converted)
                }
            task.taskDescription = id.uuidString
            task.resume()
        }

        func cancel(_ id: UUID) {
            session.withLock { $0 }?.getAllTasks { tasks in
                for task in tasks where task.transfer == id { task.cancel() }
            }
        }

        func listTasks(_ body: @escaping @Sendable (Set<UUID>) -> Void) {
            session.withLock { $0 }?.getAllTasks { tasks in body(Set(tasks.compactMap(\.transfer))) }
        }

        // MARK: Delegate

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) {
            progressed(downloadTask, totalBytesWritten, totalBytesExpectedToWrite)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            if task is URLSessionUploadTask { progressed(task, totalBytesSent, totalBytesExpectedToSend) }
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            guard let id = downloadTask.transfer else { return }
            receive(.received(id, downloadTask.head, location))
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            guard let id = task.transfer else { return }
            let refusal = refusals.withLock { $0.removeValue(forKey: id) }
            receive(.completed(id, task.head, refusal ?? error.map { task.failure($0) }))
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let (id, origin) = (task.transfer, task.original?.origin)
            challenges.respond(to: challenge, completionHandler) { [self] verdict in
                guard let id, let origin else { return }
                let error = TransportError(.tls, verdict.message(for: origin), tlsFailure: verdict.tlsFailure)
                refusals.withLock { $0[id] = error }
            }
        }

        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { receive(.eventsEnded) }

        private func progressed(_ task: URLSessionTask, _ completed: Int64, _ total: Int64) {
            guard let id = task.transfer else { return }
            receive(.progressed(id, completed: completed, total: total > 0 ? total : nil))
        }
    }

    extension URLSessionConfiguration {
        /// A background configuration without cache, cookies and credentials, with the timeouts of the system.
        fileprivate static func patchbay(
            inBackground name: String, options: URLSessionTransport.NetworkOptions
        ) -> URLSessionConfiguration {
            let configuration = URLSessionConfiguration.background(withIdentifier: name)
            options.configureSession?(configuration)
            options.apply(to: configuration)
            configuration.removeSharedState()
            return configuration
        }
    }

    extension URLSessionTask {
        /// The transfer that the task belongs to.
        fileprivate var transfer: UUID? { taskDescription.flatMap { UUID(uuidString: $0) } }

        /// The request that the task was made with.
        fileprivate var original: HTTPRequest? {
            guard let request = originalRequest, let url = request.url,
                let method = try? HTTPMethod(request.httpMethod ?? "GET")
            else { return nil }
            return try? HTTPRequest(method, url)
        }

        fileprivate var head: HTTPResponseHead? {
            guard let response, let original else { return nil }
            return try? HTTPResponseHead(response, for: original)
        }

        fileprivate func failure(_ error: any Error) -> TransportError {
            guard let original else { return TransportError(.unknown, "The transfer has failed.") }
            let failure = EngineFailure(error, origin: original.origin)
            return TransportError(failure.code, failure.message, tlsFailure: failure.tlsFailure)
        }
    }
#endif
