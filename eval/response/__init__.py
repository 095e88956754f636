"""What the response agent does about mails that need it: whether they are answered, and no gap is hidden."""
