import Coordination
import Delegation
import Foundation
import Synchronization

extension SDMNetworkQueue {
    /// Changes the requests, then performs the resulting actions.
    func perform(_ change: (inout QueuedRequests) -> [QueueState.Action]) {
        let work = requests.withLock { requests in change(&requests).map { ($0, requests.request(of: $0)) } }
        for (action, request) in work {
            switch action {
            case .start: request?.start()
            case .cancel: request?.cancel()
            case .drained: callbacks.post { [self] in deliverDrain() }
            }
        }
    }

    /// Holds back the drain until ``didDeliverEnd()``.
    func willDeliverEnd() { requests.withLock { $0.state.willDeliverEnd() } }

    /// Notes that the delegates of a complete request were called.
    func didDeliverEnd() { perform { $0.state.didDeliverEnd() } }

    /// Notes the end of a request.
    func requestEnded(_ request: SDMHttpRequest, _ error: SDMError?) {
        if let main = request.state.withLock(\.membership.mainRequest) { headEnded(request, of: main, error) }
        // Another thread may note the same end, and has still to post what follows from it.
        var isFirst = false
        perform { requests in
            isFirst = requests.contains(request)
            return requests.complete(request, failed: error != nil, areInline: callbacks.areInline)
        }
        if isFirst { requests.withLock { $0.didLeave(request) } }
    }

    /// The request that a `HEAD` has preceded fails with its error, or expects its length.
    private func headEnded(_ head: SDMHttpRequest, of main: SDMHttpRequest, _ error: SDMError?) {
        guard let error else { return expect(head, for: main) }
        main.fail(error)
    }
}

extension QueuedRequests {
    fileprivate func request(of action: QueueState.Action) -> SDMHttpRequest? {
        switch action {
        case .start(let id), .cancel(let id): self[id]
        case .drained: nil
        }
    }
}

extension SDMHttpRequest {
    /// Runs the request in a task of its own, unless it was started or cancelled meanwhile.
    fileprivate func start() {
        guard begin() else { return }
        Task(executorPreference: WorkerThreads.calls) { [self] in _ = await run(.asynchronous) }
    }

    /// Fails the request before it has started.
    fileprivate func fail(_ error: SDMError) {
        if begin() { end(error, Callbacks(session.configuration.delivery)) }
    }

    /// Sets the queue of an unstarted request.
    /// - Returns: false if it was started or is in a queue.
    func join(_ queue: SDMNetworkQueue) -> Bool {
        state.withLock { $0.phase == .created && $0.membership.join(queue) }
    }

    /// A request for the length of this one's response, of the same class, without delegates.
    func makeHeadRequest(in queue: SDMNetworkQueue) -> SDMHttpRequest {
        let head = copy() as? SDMHttpRequest ?? SDMHttpRequest(url: self.url, session: session)
        head.requestMethod = HTTP_METHOD_HEAD
        head.downloadDestinationPath = nil
        head.downloadCache = nil
        head.userInfo = nil
        head.state.withLock { state in
            state.delivery = RequestDelivery()
            state.progress = RequestProgress()
            _ = state.membership.join(queue, before: self)
        }
        for dependency in dependencies { head.addDependency(dependency) }
        return head
    }
}
