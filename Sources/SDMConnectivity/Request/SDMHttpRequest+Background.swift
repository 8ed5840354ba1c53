import Coordination
import Synchronization

extension SDMHttpRequest {
    /// Begins a background task if the app has left `shouldContinueInBackground` on.
    ///
    /// It ends with the request, or when it expires; the request then continues until the system suspends the app.
    /// The system's functions may be called on any thread, so the task has begun before the request is sent.
    func beginBackgroundTask() {
        guard shouldContinueInBackground, let tasks = session.configuration.backgroundTasks() else { return }
        let task = BackgroundTask(tasks)
        state.withLock { $0.backgroundTask = task }
        task.begin {}
    }
}
