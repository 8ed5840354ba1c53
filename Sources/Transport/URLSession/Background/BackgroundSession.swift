import Foundation
import HTTPMessages

/// The system's side of background transfers: a session whose tasks survive the process.
protocol BackgroundSession: Sendable {
    /// Starts the task of a transfer.
    /// - Parameter source: the file of an upload; nil for a download.
    func start(_ id: UUID, _ request: HTTPRequest, uploading source: URL?)
    /// Cancels a task; one that does not exist is ignored.
    func cancel(_ id: UUID)
    /// Lists the tasks, also those of earlier processes.
    func listTasks(_ body: @escaping @Sendable (Set<UUID>) -> Void)
}

/// What a background session reports, on the queue that it was made with.
enum BackgroundSessionEvent: Sendable {
    case progressed(UUID, completed: Int64, total: Int64?)
    /// The file of a download, which is deleted when the receiver returns.
    case received(UUID, HTTPResponseHead?, URL)
    /// The end of a task; the error is nil if a response has arrived.
    case completed(UUID, HTTPResponseHead?, TransportError?)
    /// All events that have waited for the app were reported.
    case eventsEnded
}
