"""What the reducers of the step family are made of. Source: step reducers, reducers and natural zeros."""
