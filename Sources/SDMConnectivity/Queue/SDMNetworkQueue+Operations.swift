import Delegation
import Synchronization

// The members of the vendor's superclass, `NSOperationQueue`.

extension SDMNetworkQueue {
    /// The requests that are not complete, in the order in which they were added.
    public var operations: [SDMHttpRequest] { requests.withLock(\.all) }

    /// The number of requests that are not complete; the same as ``requestsCount``.
    public var operationCount: Int { requestsCount }

    /// Adds requests.
    /// - Parameter wait: true to block the calling thread until they are complete, as
    ///   ``waitUntilAllOperationsAreFinished()`` does.
    @available(*, noasync, message: "addOperations may block; call addOperation and await waitUntilFinished().")
    public func addOperations(_ operations: [SDMHttpRequest], waitUntilFinished wait: Bool) {
        for operation in operations { addOperation(operation) }
        if wait { waitUntilAllOperationsAreFinished() }
    }

    /// Blocks the calling thread until all requests are complete, also those that are added meanwhile.
    ///
    /// Delegates are called on the session's delivery, by default the main queue: on that queue they are called before
    /// this returns, and a request that one adds is waited for. So one that decides about a redirect or credentials
    /// must do so in its method. A suspended queue does not start its requests: call ``startBatch()`` first. If it is
    /// suspended during the wait, such as by ``reset()``, the requests that are added after that are not waited for.
    @available(*, noasync, message: "waitUntilAllOperationsAreFinished blocks its thread; await waitUntilFinished().")
    public func waitUntilAllOperationsAreFinished() {
        let delivery = callbacks.delivery
        let blocksDelivery = delivery.isCurrent
        // It throws only when its task is cancelled.
        try? Blocking.run { [self] in
            guard blocksDelivery else { return try await waitUntilFinished() }
            // A delegate that is called at the end may add requests, also to the queue that it has suspended.
            var requests = requests.withLock(\.awaited)
            repeat {
                await DeliveredCalls.shared.making(for: delivery) { [self, requests] in
                    try? await wait(for: requests)
                }
                // The requests first: the last call of one that is complete has been posted, and one that was added
                // after a suspension is not waited for.
                requests = Task.isCancelled ? [] : self.requests.withLock(\.stillAwaited)
            } while !requests.isEmpty || DeliveredCalls.shared.hasCall(for: delivery)
        }
    }

    /// The number of uploaded bytes; without accurate progress, of requests.
    public var bytesUploadedSoFar: Int64 { progress.withLock(\.upload.completed) }
    /// The number of bytes to upload as far as known; without accurate progress, of requests.
    public var totalBytesToUpload: Int64 { progress.withLock(\.upload.total) }
    /// The number of downloaded bytes; without accurate progress, of requests.
    public var bytesDownloadedSoFar: Int64 { progress.withLock(\.download.completed) }
    /// The number of bytes to download as far as known; without accurate progress, of requests.
    public var totalBytesToDownload: Int64 { progress.withLock(\.download.total) }
}
